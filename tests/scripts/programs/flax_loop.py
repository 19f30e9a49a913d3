"""Flax on JAX, 20 calls of a jitted step of the script: 20 steps with --step-on __main__:train_step."""
import flax.linen as nn
import jax
import jax.numpy as jnp


class Net(nn.Module):
    @nn.compact
    def __call__(self, inputs):
        return nn.Dense(1)(nn.relu(nn.Dense(16)(inputs)))


net = Net()


@jax.jit
def train_step(parameters, inputs):
    def loss(parameters):
        return jnp.mean((net.apply(parameters, inputs) - 1) ** 2)

    gradients = jax.grad(loss)(parameters)
    return jax.tree_util.tree_map(lambda weight, gradient: weight - 0.1 * gradient, parameters, gradients)


inputs = jnp.ones((8, 4))
parameters = net.init(jax.random.PRNGKey(0), inputs)
for _ in range(20):
    parameters = train_step(parameters, inputs)
print("outputs %.4f" % float(net.apply(parameters, inputs).sum()))
