"""A training loop of one jitted function, without annotations, captured without --step-on: no step; the function is offered."""
import jax
import jax.numpy as jnp


@jax.jit
def train_step(weights, inputs):
    return weights - 0.1 * jax.grad(lambda w: jnp.mean((inputs @ w - 1) ** 2))(weights)


weights, inputs = jnp.zeros((16, 1)), jnp.ones((8, 16))
for _ in range(15):
    weights = train_step(weights, inputs)
print("weight %.4f" % float(weights[0, 0]))
