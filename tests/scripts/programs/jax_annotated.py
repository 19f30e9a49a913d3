"""A training loop of one jitted function, each call of which is in a StepTraceAnnotation: 20 steps."""
import jax
import jax.numpy as jnp


@jax.jit
def update(weights, inputs, targets):
    loss, gradient = jax.value_and_grad(lambda w: jnp.mean((inputs @ w - targets) ** 2))(weights)
    return weights - 0.1 * gradient, loss


weights = jnp.zeros((16, 1))
key = jax.random.key(0)
inputs, targets = jax.random.normal(key, (8, 16)), jnp.ones((8, 1))
for step in range(20):
    with jax.profiler.StepTraceAnnotation("train", step_num=step):
        weights, loss = update(weights, inputs, targets)
        loss.block_until_ready()
print("loss", float(loss))
