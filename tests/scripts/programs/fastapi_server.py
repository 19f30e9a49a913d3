"""A FastAPI application answers 20 requests, each by a forward on one of its threads: 20 steps."""
import torch
from fastapi import FastAPI
from fastapi.testclient import TestClient

torch.manual_seed(0)
model = torch.nn.Linear(16, 4).eval()
application = FastAPI()


@application.get("/answer/{number}")
def answer(number: int):
    with torch.inference_mode():
        return {"answer": model(torch.full((1, 16), float(number))).argmax().item()}


with TestClient(application) as client:
    print([client.get("/answer/%d" % number).json()["answer"] for number in range(20)])
