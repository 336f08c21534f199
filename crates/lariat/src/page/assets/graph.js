// Drawings of graphs; dagre finds the places. Edges from a node to itself are drawn above it, in room that is left for them.

const TEXT = { size: 12, width: 7.3, line: 15 };

// `nodes`: { id, lines, shape ("circle" or "box"), double, initial, title }; `edges`: { from, to, lines, thick }.
// What comes back has the picture, and marks a node as the current one.
function drawGraph(label, nodes, edges, direction) {
  const head = `arrow-${(drawGraph.count = (drawGraph.count ?? 0) + 1)}`;
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction, nodesep: 26, ranksep: 34, edgesep: 14, marginx: 22, marginy: 12 });
  const sizes = new Map(nodes.map((node) => [node.id, nodeSize(node)]));
  const loops = edges.filter((edge) => edge.from === edge.to);
  const above = new Map();
  for (const edge of loops) above.set(edge.from, (above.get(edge.from) ?? 0) + textSize(edge.lines).height);
  for (const node of nodes) {
    const size = sizes.get(node.id);
    const loop = above.get(node.id);
    const room = loop === undefined ? 0 : 24 + loop;
    const wide = Math.max(0, ...loops.filter((edge) => edge.from === node.id).map((edge) => textSize(edge.lines).width));
    graph.setNode(`${node.id}`, { width: Math.max(size.width, wide), height: size.height + 2 * room });
  }
  edges.forEach((edge, i) => {
    // The label stands above the line, so it needs twice its height around it.
    const { width, height } = textSize(edge.lines);
    if (edge.from !== edge.to) graph.setEdge(`${edge.from}`, `${edge.to}`, { width, height: 2 * height, labelpos: "c", edge }, `${i}`);
  });
  dagre.layout(graph);
  const box = extent(graph, sizes);
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  const shapes = new Map();
  const picture = svg("svg", { width, height, viewBox: `${box.left} ${box.top} ${width} ${height}`, role: "img", "aria-label": label },
    svg("defs", {}, arrowHead(head)));
  const arrows = [];
  for (const key of graph.edges()) {
    const { points, x, y, edge } = graph.edge(key);
    const ends = [clip(points[1], graph.node(key.v), sizes.get(edge.from), nodes, edge.from),
      clip(points.at(-2), graph.node(key.w), sizes.get(edge.to), nodes, edge.to)];
    const path = smooth([ends[0], ...points.slice(1, -1), ends[1]]);
    arrows.push(arrow(picture, head, edge, path, x, y - textSize(edge.lines).height / 2));
  }
  const stacked = new Map();
  for (const edge of loops) {
    const [place, size] = [graph.node(`${edge.from}`), sizes.get(edge.from)];
    const top = place.y - size.height / 2;
    const lower = stacked.get(edge.from) ?? 0;
    const path = `M ${place.x - 8} ${top + 2} C ${place.x - 20} ${top - 26}, ${place.x + 20} ${top - 26}, ${place.x + 8} ${top + 1}`;
    const text = textSize(edge.lines);
    arrows.push(arrow(picture, head, edge, lower === 0 ? path : null, place.x, top - 22 - lower - text.height / 2));
    stacked.set(edge.from, lower + text.height);
  }
  for (const node of nodes) {
    const group = drawNode(node, head, graph.node(`${node.id}`), sizes.get(node.id));
    shapes.set(node.id, group);
    picture.append(group);
  }
  picture.style.minWidth = `${0.6 * width}px`;
  const element = el("div", { class: "drawing", tabindex: 0, role: "region", "aria-label": label }, picture);
  let [marked, taken] = [null, []];
  return {
    element,
    // Marks a node, and the edges from another one to it.
    mark(id, from) {
      marked?.classList.remove("now");
      taken.forEach((group) => group.classList.remove("now"));
      marked = shapes.get(id) ?? null;
      marked?.classList.add("now");
      marked?.setAttribute("aria-current", "true");
      for (const [other, group] of shapes) if (other !== id) group.removeAttribute("aria-current");
      taken = arrows.filter(({ edge }) => edge.from === from && edge.to === id).map(({ group }) => group);
      taken.forEach((group) => group.classList.add("now"));
      if (marked !== null) reveal(element, marked.getBoundingClientRect());
    },
  };
}

// The room that nodes (with what is left above them for edges to themselves) and edges take.
function extent(graph, sizes) {
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  const reach = (x, y, dx, up, down) => {
    box.left = Math.min(box.left, x - dx);
    box.right = Math.max(box.right, x + dx);
    box.top = Math.min(box.top, y - up);
    box.bottom = Math.max(box.bottom, y + down);
  };
  for (const [id, size] of sizes) {
    const { x, y, width, height } = graph.node(`${id}`);
    reach(x, y, width / 2 + 22, height / 2 + 8, size.height / 2 + 12);
  }
  for (const key of graph.edges()) {
    const { points, x, y, width, height } = graph.edge(key);
    for (const point of points.slice(1, -1)) reach(point.x, point.y, 8, 8, 8);
    if (width > 0) reach(x, y, width / 2, height, 4);
  }
  return box;
}

function textSize(lines) {
  const longest = lines.reduce((most, line) => Math.max(most, line.length), 0);
  return { width: longest * TEXT.width + (longest > 0 ? 10 : 0), height: lines.length * TEXT.line + (longest > 0 ? 4 : 0) };
}

function nodeSize(node) {
  const { width, height } = textSize(node.lines);
  const side = Math.max(34, width + 8);
  return node.shape === "circle" ? { width: side, height: side } : { width: Math.max(60, width + 14), height: height + 12 };
}

function drawNode(node, head, { x, y }, { width, height }) {
  const group = svg("g", { class: "node", "data-node": node.id }, svg("title", {}, node.title ?? node.lines.join(" ")));
  const outline = (inset) => node.shape === "circle"
    ? svg("circle", { cx: x, cy: y, r: width / 2 - inset })
    : svg("rect", { x: x - width / 2 + inset, y: y - height / 2 + inset, width: width - 2 * inset, height: height - 2 * inset, rx: 6 });
  group.append(outline(0));
  if (node.double) group.append(outline(3.5));
  if (node.initial) group.append(svg("path", { class: "start", d: `M ${x - width / 2 - 18} ${y} l 15 0`, "marker-end": `url(#${head})` }));
  group.append(text(node.lines, x, y));
  return group;
}

function arrow(picture, head, edge, path, x, y) {
  const group = svg("g", { class: `edge${edge.thick ? " thick" : ""}`, "data-from": edge.from, "data-to": edge.to });
  if (path !== null) group.append(svg("path", { d: path, "marker-end": `url(#${head})` }));
  if (edge.lines.length > 0) group.append(text(edge.lines, x, y));
  picture.append(group);
  return { edge, group };
}

function text(lines, x, y) {
  const top = y - ((lines.length - 1) * TEXT.line) / 2 + 4;
  return svg("text", { "text-anchor": "middle" },
    lines.map((line, i) => svg("tspan", { x, y: top + i * TEXT.line }, line)));
}

function arrowHead(id) {
  return svg("marker", { id, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" },
    svg("path", { d: "M 0 0 L 10 5 L 0 10 z" }));
}

// Where the way from a node's middle towards a point leaves the node's shape.
function clip(towards, { x, y }, { width, height }, nodes, id) {
  const [dx, dy] = [towards.x - x, towards.y - y];
  const round = nodes.find((node) => node.id === id).shape === "circle";
  const scale = round
    ? width / 2 / Math.max(1, Math.hypot(dx, dy))
    : Math.min(width / 2 / Math.max(0.01, Math.abs(dx)), height / 2 / Math.max(0.01, Math.abs(dy)));
  return { x: x + dx * scale, y: y + dy * scale };
}

// A curve through the middles between points.
function smooth(points) {
  const [first, ...rest] = points;
  let path = `M ${first.x} ${first.y}`;
  for (let i = 0; i + 1 < rest.length; i += 1) {
    const [at, next] = [rest[i], rest[i + 1]];
    const end = i + 2 < rest.length ? { x: (at.x + next.x) / 2, y: (at.y + next.y) / 2 } : next;
    path += ` Q ${at.x} ${at.y} ${end.x} ${end.y}`;
  }
  return rest.length === 1 ? `${path} L ${rest[0].x} ${rest[0].y}` : path;
}

// Scrolls a view so that a rectangle of the window is in it.
function reveal(view, { left, right, top, bottom }) {
  const own = view.getBoundingClientRect();
  if (left < own.left || right > own.right) view.scrollLeft += (left + right - own.left - own.right) / 2;
  if (top < own.top || bottom > own.bottom) view.scrollTop += (top + bottom - own.top - own.bottom) / 2;
}

// Long labels are broken at their operators.
function broken(label, longest) {
  const lines = [];
  let line = "";
  for (const word of label.split(/(?<= [|&]) | (?=and |or )/)) {
    if (line !== "" && line.length + word.length + 1 > longest) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines.map((own) => (own.length > 2 * longest ? `${own.slice(0, 2 * longest)}…` : own));
}

// The automaton of bad runs; edges between the same states are one arrow.
function drawAutomaton(automaton) {
  const nodes = [];
  for (let id = 0; id < automaton.n_states; id += 1) {
    nodes.push({
      id, lines: [`${id}`], shape: "circle", double: automaton.accepting.includes(id),
      initial: id === automaton.initial, title: `state ${id}`,
    });
  }
  const arrows = new Map();
  for (const { from, to, label, sets } of automaton.edges) {
    const key = `${from} ${to}`;
    if (!arrows.has(key)) arrows.set(key, { from, to, lines: [], thick: false });
    const marks = sets.length === 0 ? "" : automaton.n_sets === 1 ? " ●" : ` {${sets.join(",")}}`;
    const lines = broken(label, 26);
    lines[lines.length - 1] += marks;
    const arrow = arrows.get(key);
    arrow.lines.push(...lines);
    arrow.thick ||= automaton.n_sets > 0 && sets.length === automaton.n_sets;
  }
  return drawGraph("the automaton that accepts bad runs", nodes, [...arrows.values()], "LR");
}

// How the automaton accepts, in words.
function acceptance({ n_sets, accepting }) {
  if (n_sets === 0) return "Every infinite run of it is accepted.";
  if (accepting.length > 0) return "It accepts runs that are at a double circle infinitely often.";
  if (n_sets === 1) return "It accepts runs that take an edge with ● infinitely often.";
  return `It accepts runs that take an edge of each of the ${n_sets} sets infinitely often.`;
}
