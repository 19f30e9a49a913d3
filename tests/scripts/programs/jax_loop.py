"""A training loop of one jitted function, without annotations: 20 steps of the function `train_step`."""
import jax
import jax.numpy as jnp


@jax.jit
def train_step(weights, inputs, targets):
    loss, gradient = jax.value_and_grad(lambda w: jnp.mean((inputs @ w - targets) ** 2))(weights)
    return weights - 0.1 * gradient, loss


weights = jnp.zeros((16, 1))
key = jax.random.key(0)
inputs, targets = jax.random.normal(key, (8, 16)), jnp.ones((8, 1))
for step in range(20):
    weights, loss = train_step(weights, inputs, targets)
print("loss", float(loss))
