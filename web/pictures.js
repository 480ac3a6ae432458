"use strict";
// The picture of a policy: over the beliefs of two states, or over the triangle of three.

const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d1f", "#7a5fc0"];
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 5], [1, 4], [12, 4], [6, 2, 2, 2]];

const colourOf = (u) => COLOURS[u % COLOURS.length];

function begin(canvas, height) {
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.style.height = height + "px";
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const g = canvas.getContext("2d");
  const style = getComputedStyle(canvas);
  g.setTransform(scale, 0, 0, scale, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "14px system-ui, sans-serif";
  return { g, width, height, ink: style.color, ground: style.backgroundColor };
}

// Marks of a history, numbered from 0, joined in order.
function drawPath(sheet, places) {
  const { g, ink, ground } = sheet;
  g.strokeStyle = ink;
  g.lineWidth = 1.5;
  g.beginPath();
  places.forEach(([x, y], i) => (i ? g.lineTo(x, y) : g.moveTo(x, y)));
  g.stroke();
  places.forEach(([x, y], i) => {
    g.beginPath();
    g.arc(x, y, 9, 0, 2 * Math.PI);
    g.fillStyle = ground;
    g.fill();
    g.stroke();
    g.fillStyle = ink;
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.fillText(String(i), x, y + 1);
  });
}

function drawLine(g, points, box, policy, actions, u) {
  g.beginPath();
  for (let i = 0; i < points; i++) {
    const x = box.x + (box.w * i) / (points - 1);
    const y = box.y + box.h * (1 - policy[i * actions + u]);
    if (i) g.lineTo(x, y);
    else g.moveTo(x, y);
  }
  g.stroke();
}

function drawAxes(sheet, box, label) {
  const { g, ink } = sheet;
  g.strokeStyle = ink;
  g.fillStyle = ink;
  g.lineWidth = 1;
  g.globalAlpha = 0.35;
  for (const part of [0, 0.5, 1]) {
    g.beginPath();
    g.moveTo(box.x, box.y + box.h * (1 - part));
    g.lineTo(box.x + box.w, box.y + box.h * (1 - part));
    g.stroke();
  }
  g.globalAlpha = 1;
  g.textBaseline = "middle";
  g.textAlign = "right";
  for (const part of [0, 0.5, 1]) g.fillText(100 * part + " %", box.x - 6, box.y + box.h * (1 - part));
  g.textBaseline = "top";
  for (const part of [0, 0.5, 1]) {
    g.textAlign = part === 0 ? "left" : part === 1 ? "right" : "center";
    g.fillText(String(part), box.x + box.w * part, box.y + box.h + 12);
  }
  g.textAlign = "center";
  g.fillText(label, box.x + box.w / 2, box.y + box.h + 32);
}

// Probabilities of the actions over the belief in the second state. grids: one for each agent; the second is drawn thin.
function drawTwo(canvas, study, grids, path) {
  const sheet = begin(canvas, 320);
  const { g } = sheet;
  const box = { x: 52, y: 14, w: sheet.width - 66, h: 250 };
  const actions = study.actions.length;
  drawAxes(sheet, box, "belief in " + study.states[1]);
  grids.forEach((grid, a) => {
    for (let u = 0; u < actions; u++) {
      g.strokeStyle = colourOf(u);
      g.lineWidth = a ? 1.25 : 3;
      g.setLineDash(DASHES[u % DASHES.length]);
      drawLine(g, grid.policy.length / actions, box, grid.policy, actions, u);
    }
  });
  g.setLineDash([]);
  drawPath(sheet, path.map((b) => [box.x + box.w * b[1], box.y + box.h]));
}

function mixed(policy, at, actions) {
  const sum = [0, 0, 0];
  for (let u = 0; u < actions; u++) {
    const colour = parseInt(colourOf(u).slice(1), 16);
    for (let c = 0; c < 3; c++) sum[c] += policy[at * actions + u] * ((colour >> (16 - 8 * c)) & 255);
  }
  return "rgb(" + sum.map(Math.round).join(",") + ")";
}

function largest(policy, at, actions) {
  let best = 0;
  for (let u = 1; u < actions; u++) if (policy[at * actions + u] > policy[at * actions + best]) best = u;
  return best;
}

// The triangle: each cell has the mixture of its actions' colours, and the name of an action stands where it is the likeliest.
function drawThree(canvas, study, grid, intervals, path) {
  const side = Math.min(canvas.clientWidth - 20, 480);
  const height = (side * Math.sqrt(3)) / 2;
  const sheet = begin(canvas, height + 64);
  const { g, ink, ground } = sheet;
  const actions = study.actions.length;
  const left = (sheet.width - side) / 2;
  const place = (b) => [left + side * (b[1] + b[2] / 2), 30 + height * (1 - b[2])];
  const middle = study.actions.map(() => [0, 0, 0]);
  const cell = side / intervals;
  let at = 0;
  for (let i = 0; i <= intervals; i++)
    for (let j = 0; j <= intervals - i; j++, at++) {
      const [x, y] = place([0, j / intervals, i / intervals]);
      const m = middle[largest(grid.policy, at, actions)];
      m[0] += x;
      m[1] += y;
      m[2]++;
      g.fillStyle = mixed(grid.policy, at, actions);
      g.fillRect(x - cell / 2, y - (cell * 0.87) / 2, cell + 0.5, cell * 0.87 + 0.5);
    }
  // Cells stick out of the triangle: cover what is outside. A clip would make each of them slow.
  g.beginPath();
  g.rect(0, 0, sheet.width, sheet.height);
  [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((b, k) => (k ? g.lineTo(...place(b)) : g.moveTo(...place(b))));
  g.closePath();
  g.fillStyle = ground;
  g.fill("evenodd");
  nameActions(sheet, study, middle, at);
  g.fillStyle = ink;
  g.textAlign = "left";
  g.textBaseline = "top";
  g.fillText(study.states[0], Math.max(0, left - 8), 40 + height);
  g.textAlign = "right";
  g.fillText(study.states[1], Math.min(sheet.width, left + side + 8), 40 + height);
  g.textAlign = "center";
  g.textBaseline = "bottom";
  g.fillText(study.states[2], left + side / 2, 20);
  drawPath({ g, ink, ground }, path.map(place));
}

function nameActions(sheet, study, middle, points) {
  const { g, ink, ground } = sheet;
  g.textAlign = "center";
  g.textBaseline = "middle";
  middle.forEach(([x, y, n], u) => {
    if (n < points / 25) return;
    const w = g.measureText(study.actions[u]).width + 10;
    g.fillStyle = ground;
    g.fillRect(x / n - w / 2, y / n - 10, w, 20);
    g.fillStyle = ink;
    g.fillText(study.actions[u], x / n, y / n + 1);
  });
}
