"""Two actors of Ray train 7 steps each, in processes of their own: 14 steps."""
import ray


@ray.remote
class Trainer:
    def train(self, count):
        import torch

        torch.manual_seed(0)
        model = torch.nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(count):
            optimizer.zero_grad()
            model(torch.randn(4, 8)).pow(2).mean().backward()
            optimizer.step()
        return count


ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
trainers = [Trainer.remote() for _ in range(2)]
print(ray.get([trainer.train.remote(7) for trainer in trainers]))
ray.shutdown()
