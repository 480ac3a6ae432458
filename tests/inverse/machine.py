"""The machine of examples/inverses in NumPy, on its own: what its agents do, and logs with helper data.

    python3 tests/inverse/machine.py examples/inverses    writes the tables of the examples
"""
import csv
import pathlib
import sys

import numpy as np

STATES = ["good", "worn", "broken"]
ACTIONS = ["run", "service", "replace"]
NAMES = ["output", "idle", "upkeep", "price"]
TRUTH = np.array([4.0, -3.0, -1.0, -8.0])
GAMMA, ALPHA = .9, 1.0
TAU = np.array([[[.8, .2, 0], [0, .7, .3], [0, 0, 1]],
                [[1, 0, 0], [.6, .4, 0], [0, 0, 1]],
                [[1, 0, 0], [1, 0, 0], [1, 0, 0]]])
# FEATURE[k, u, s]
FEATURE = np.zeros((4, 3, 3))
FEATURE[0, 0, :2] = FEATURE[1, 0, 2] = FEATURE[2, 1, :] = FEATURE[3, 2, :] = 1


def with_start(start):
    tau = TAU.copy()
    tau[2] = start  # what ends nothing is `reset`: the next state is drawn from `start`
    return tau


def utility(x):
    return np.tensordot(x, FEATURE, 1)


def soft_policy(v, tau, alpha=ALPHA, prior=None):
    """Fixed point by plain iteration; policy [s, u]."""
    prior = np.full(3, 1 / 3) if prior is None else prior
    value = np.zeros(3)
    for _ in range(2000):
        q = v + GAMMA * tau @ value
        value = alpha * np.log(prior @ np.exp(q / alpha))
    policy = prior[:, None] * np.exp((q - value) / alpha)
    return policy.T


def worth(policy, v, tau, start, alpha=ALPHA):
    """What a policy earns in the environment, with what its choices cost at alpha (against a uniform prior)."""
    chain = np.einsum("su,ust->st", policy, tau)
    reward = np.einsum("su,us->s", policy, v) - alpha * np.sum(policy * np.log(3 * policy), axis=1)
    return start @ np.linalg.solve(np.eye(3) - GAMMA * chain, reward)


def soft_iteration(v, tau, policies, alpha=ALPHA):
    """The policies of exact soft policy iteration, the uniform one first."""
    policy = np.full((3, 3), 1 / 3)
    made = [policy]
    for _ in range(policies - 1):
        chain = np.einsum("su,ust->st", policy, tau)
        reward = np.einsum("su,us->s", policy, v) - alpha * np.sum(policy * np.log(3 * policy), axis=1)
        value = np.linalg.solve(np.eye(3) - GAMMA * chain, reward)
        q = v + GAMMA * tau @ value
        policy = np.exp((q - q.max(axis=0)) / alpha).T
        policy /= policy.sum(axis=1, keepdims=True)
        made.append(policy)
    return made


def walk(random, policy, tau, start, steps):
    state, out = random.choice(3, p=start), []
    for _ in range(steps):
        action = random.choice(3, p=policy[state])
        out.append((state, action))
        state = random.choice(3, p=tau[action, state])
    return out


def features(episode):
    return sum((FEATURE[:, u, s] for s, u in episode), np.zeros(4))


def write(path, episodes, columns, name=str):
    """Episodes as a table; `columns`: name to a list with a value for each episode."""
    with open(path, "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["episode", "t", "state", "action", *columns])
        for i, episode in enumerate(episodes):
            for t, (s, u) in enumerate(episode):
                rows.writerow([name(i + 1), t, STATES[s], ACTIONS[u], *(c[i] for c in columns.values())])


def weeks(seed, count, steps=7):
    random, start = np.random.default_rng(seed), np.array([.6, .2, .2])
    tau = with_start(start)
    policy = .6 * soft_policy(utility(TRUTH), tau) + .4 / 3
    return [walk(random, policy, tau, start, random.integers(3, steps + 1)) for _ in range(count)]


def bradley_terry(random, episodes, pairs, x=TRUTH / 4):
    out = []
    for _ in range(pairs):
        i, j = random.choice(len(episodes), 2, replace=False)
        d = (features(episodes[j]) - features(episodes[i])) @ x
        out.append((i, j) if random.random() < 1 / (1 + np.exp(-d)) else (j, i))
    return out


def learner(seed, batches, episodes, steps):
    random, start = np.random.default_rng(seed), np.array([.4, .3, .3])
    tau = with_start(start)
    made, batch = [], []
    for k, policy in enumerate(soft_iteration(utility(TRUTH / 4), tau, batches)):
        made += [walk(random, policy, tau, start, steps) for _ in range(episodes)]
        batch += [k + 1] * episodes
    return made, batch


def main(folder):
    folder = pathlib.Path(folder)
    random = np.random.default_rng(7)
    episodes = weeks(1, 120)
    scores = [f"{features(e) @ TRUTH + random.normal():.1f}" for e in episodes]
    write(folder / "distance-minimization.csv", episodes, {"score": scores})
    episodes = weeks(2, 80)
    write(folder / "preference-extrapolation.csv", episodes, {}, "week {}".format)
    with open(folder / "preference-extrapolation-pairs.csv", "w") as file:
        file.write("worse,better\n")
        for i, j in bradley_terry(random, episodes, 200):
            file.write(f"week {i + 1},week {j + 1}\n")
    episodes, batch = learner(3, 5, 40, 12)
    write(folder / "soft-policy-inversion.csv", episodes, {"batch": batch})


if __name__ == "__main__":
    main(sys.argv[1])
