"""The recurrent network of the rival recurrent-cloning and PyTorch's, from the same weights: losses of the first hundred steps of Adam agree to
1e-6. The test program of questions/rivals writes its tree, its first weights and its losses; here every history is run by itself.

    ASIF_BUILD=build/release python3 tests/long/cloning_torch.py      # needs torch; exits with 77 without it
"""
import os
import subprocess
import sys
import tempfile

try:
    import torch
except ImportError:
    print("torch is not installed")
    sys.exit(77)

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "losses")
    subprocess.run([os.path.join(os.environ["ASIF_BUILD"], "tests", "test_questions_rivals")], check=True, capture_output=True,
                   env={**os.environ, "ASIF_CLONING_FILE": path})
    with open(path, encoding="utf-8") as file:
        nodes, actions, observations, hidden = map(int, file.readline().split())
        tree = [file.readline().split() for _ in range(nodes)]
        numbers = [float(line) for line in file]
inputs = actions + observations
parent, action, seen = ([int(row[k]) for row in tree] for k in range(3))
count = torch.tensor([[float(x) for x in row[3:]] for row in tree])
shapes = [(4 * hidden, inputs), (4 * hidden, hidden), (4 * hidden,), (hidden, hidden), (hidden,), (actions, hidden), (actions,)]
weights, at = [], 0
for shape in shapes:
    size = torch.Size(shape).numel()
    weights.append(torch.tensor(numbers[at:at + size]).reshape(shape))
    at += size
ours = numbers[at:]
lstm, layer, policy = torch.nn.LSTM(inputs, hidden, batch_first=True), torch.nn.Linear(hidden, hidden), torch.nn.Linear(hidden, actions)
with torch.no_grad():
    for to, value in zip([lstm.weight_ih_l0, lstm.weight_hh_l0, lstm.bias_ih_l0, layer.weight, layer.bias, policy.weight, policy.bias], weights):
        to.copy_(value)
    lstm.bias_hh_l0.zero_()
lstm.bias_hh_l0.requires_grad_(False)  # one bias for each gate
trained = [p for module in (lstm, layer, policy) for p in module.parameters() if p.requires_grad]
adam = torch.optim.Adam(trained, lr=0.001)

histories = []
for n in range(nodes):
    path = []
    while parent[n] >= 0:
        path.append((action[n], seen[n]))
        n = parent[n]
    histories.append(path[::-1])
longest = max(map(len, histories))
later = [n for n in range(nodes) if histories[n]]
x = torch.zeros(len(later), longest, inputs)
for row, n in enumerate(later):
    for t, (u, o) in enumerate(histories[n]):
        x[row, t, u] = 1
        if o >= 0:
            x[row, t, actions + o] = 1
last = torch.tensor([len(histories[n]) - 1 for n in later])
worst = 0
for step, expected in enumerate(ours):
    h = lstm(x)[0][torch.arange(len(later)), last]
    loss = -(count[later] * torch.log_softmax(policy(torch.tanh(layer(h))), 1)).sum() / count[later].sum()
    worst = max(worst, abs(loss.item() - expected))
    if step % 20 == 0:
        print(f"step {step:3}: PyTorch {loss.item():.12f}, asif {expected:.12f}")
    adam.zero_grad()
    loss.backward()
    adam.step()
print(f"largest difference over {len(ours) - 1} steps: {worst:.2e}")
sys.exit(not (len(ours) == 101 and worst < 1e-6))
