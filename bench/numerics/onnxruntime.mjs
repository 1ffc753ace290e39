// SPDX-License-Identifier: GPL-3.0-or-later
// The trainings of bench_numerics in onnxruntime: one ONNX loop over the batches whose body is a whole step,
// forward, backward and update, of standard operators. bench_numerics starts this with a folder that holds
// settings.json and the data; a line on stdin asks for a round, and the answer is one line of JSON.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [folder, installed] = process.argv.slice(2);
let ort;
try {
    ort = createRequire(join(installed, 'node_modules', 'none.js'))('onnxruntime-node');
} catch {
    console.log(JSON.stringify({ missing: `no onnxruntime-node in ${installed}` }));
    process.exit(0);
}
const settings = JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8'));
const { batch, batches } = settings;
const floats = name => {
    const bytes = readFileSync(join(folder, name + '.f32'));
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4).slice();
};

// --- ONNX as protocol buffers (github.com/onnx/onnx, onnx.proto) ---

const varint = n => {
    const bytes = [];
    for (n = BigInt.asUintN(64, BigInt(n)); n > 127n; n >>= 7n) bytes.push(Number(n & 127n) | 128);
    return Buffer.from([...bytes, Number(n)]);
};
const int = (field, n) => Buffer.concat([varint(field * 8), varint(n)]);
const bytes = (field, value) => {
    const content = Buffer.from(value);
    return Buffer.concat([varint(field * 8 + 2), varint(content.length), content]);
};
const message = (field, ...parts) => bytes(field, Buffer.concat(parts));
const float = (field, x) => {
    const four = Buffer.alloc(4);
    four.writeFloatLE(x);
    return Buffer.concat([varint(field * 8 + 5), four]);
};
const FLOAT = 1, INT64 = 7, BOOL = 9;

/// `typed` as [name, element type, shape].
const value = (field, [name, type, shape]) =>
    message(field, bytes(1, name), message(2, message(1, int(1, type),
        message(2, ...shape.map(extent => message(1, int(1, extent)))))));
const attribute = ([name, x]) => {
    if (x instanceof Buffer) return message(5, bytes(1, name), bytes(6, x), int(20, 5));
    if (Array.isArray(x)) return message(5, bytes(1, name), ...x.map(i => int(8, i)), int(20, 7));
    if (typeof x === 'object') return message(5, bytes(1, name), float(2, x.real), int(20, 1));
    return message(5, bytes(1, name), int(3, x), int(20, 2));
};

class Graph {
    parts = [];
    count = 0;
    /// Adds an operation and returns the names of its outputs, the only one alone.
    op(kind, inputs, attributes = {}, outputs = 1) {
        const names = Array.isArray(outputs) ? outputs
            : Array.from({ length: outputs }, () => `${kind}_${this.count++}`);
        this.parts.push(message(1, ...inputs.map(i => bytes(1, i)), ...names.map(o => bytes(2, o)),
            bytes(4, kind), ...Object.entries(attributes).map(attribute)));
        return names.length === 1 ? names[0] : names;
    }
    constant(data, shape, type = FLOAT) {
        const name = `constant_${this.count++}`;
        const typed = type === FLOAT ? Float32Array.from(data) : BigInt64Array.from(data, BigInt);
        this.parts.push(message(5, ...shape.map(d => int(1, d)), int(2, type), bytes(8, name),
            bytes(9, Buffer.from(typed.buffer))));
        return name;
    }
    number(x) { return this.constant([x], []); }
    integers(list) { return this.constant(list, [list.length], INT64); }
    serialised(inputs, outputs) {
        return Buffer.concat([...this.parts, bytes(2, 'training'), ...inputs.map(i => value(11, i)),
            ...outputs.map(o => value(12, o))]);
    }
}

// --- a step ---

/// The loss, and the gradient of the logits.
function softmaxLoss(g, logits, labels) {
    const taken = g.op('Mul', [g.op('LogSoftmax', [logits]), labels]);
    const loss = g.op('Mul', [g.op('ReduceSum', [taken], { keepdims: 0 }), g.number(-1 / batch)]);
    return [loss, g.op('Mul', [g.op('Sub', [g.op('Softmax', [logits]), labels]), g.number(1 / batch)])];
}
const masked = (g, active, gradient, zero) => g.op('Where', [g.op('Greater', [active, zero]), gradient, zero]);
const sgd = (g, w, dw) => g.op('Sub', [w, g.op('Mul', [dw, g.number(settings.rate)])]);
/// w - rate a^T d in one product.
const sgdOfProduct = (g, w, a, d) =>
    g.op('Gemm', [a, d, w], { transA: 1, alpha: { real: -settings.rate }, beta: { real: 1 } });

function denseStep(g, at, next) {
    const zero = g.number(0);
    const count = settings.widths.length - 1;
    const active = [g.op('Gather', ['samples', at])];
    for (let l = 0; l < count; ++l) {
        const z = g.op('Gemm', [active[l], `kernel${l}`, `bias${l}`]);
        active.push(l + 1 < count ? g.op('Relu', [z]) : z);
    }
    let [loss, d] = softmaxLoss(g, active[count], g.op('Gather', ['labels', at]));
    const rmsprop = (name, gradient) => {
        const square = g.op('Mul', [g.op('Mul', [gradient, gradient]), g.number(1 - settings.rho)]);
        const mean = g.op('Add', [g.op('Mul', [`${name}_square`, g.number(settings.rho)]), square]);
        const root = g.op('Add', [g.op('Sqrt', [mean]), g.number(settings.epsilon)]);
        next[`${name}_square`] = mean;
        next[name] = g.op('Sub', [name, g.op('Div', [g.op('Mul', [gradient, g.number(settings.rate)]), root])]);
    };
    for (let l = count; l-- > 0;) {
        const bias = g.op('ReduceSum', [d, g.integers([0])], { keepdims: 0 });
        if (settings.rmsprop) {
            rmsprop(`kernel${l}`, g.op('Gemm', [active[l], d], { transA: 1 }));
            rmsprop(`bias${l}`, bias);
        } else {
            next[`kernel${l}`] = sgdOfProduct(g, `kernel${l}`, active[l], d);
            next[`bias${l}`] = sgd(g, `bias${l}`, bias);
        }
        if (l > 0) d = masked(g, active[l], g.op('Gemm', [d, `kernel${l}`], { transB: 1 }), zero);
    }
    return loss;
}

/// The convolutions of settings.json with the sides of their inputs, their channels, and what they give on.
const stages = [];
for (const { filters, padded, pooled } of settings.convolutions ?? []) {
    const before = stages.at(-1) ?? { side: 28, filters: 1 };
    const out = before.side - (padded ? 0 : 2);
    stages.push({ channels: before.filters, filters, pooled, out, side: pooled ? Math.floor(out / 2) : out,
        pads: { pads: Array(4).fill(padded ? 1 : 0) } });
}

/// Adam with the correction in the rate, after `step` steps with this one; SGD where it is not asked for.
function updates(g, next) {
    if (!settings.adam) return (name, dw) => { next[name] = sgd(g, name, dw); };
    const { beta_1, beta_2, epsilon } = settings.adam;
    next.step = g.op('Add', ['step', g.number(1)]);
    const gathered = beta => g.op('Sub', [g.number(1), g.op('Pow', [g.number(beta), next.step])]);
    const rate = g.op('Mul', [g.number(settings.rate),
        g.op('Div', [g.op('Sqrt', [gathered(beta_2)]), gathered(beta_1)])]);
    const towards = (mean, value, beta) =>
        g.op('Add', [mean, g.op('Mul', [g.op('Sub', [value, mean]), g.number(1 - beta)])]);
    return (name, dw) => {
        const mean = next[`${name}_mean`] = towards(`${name}_mean`, dw, beta_1);
        const square = next[`${name}_square`] =
            towards(`${name}_square`, g.op('Mul', [dw, dw]), beta_2);
        next[name] = g.op('Sub', [name, g.op('Div', [g.op('Mul', [mean, rate]),
            g.op('Add', [g.op('Sqrt', [square]), g.number(epsilon)])])]);
    };
}

/// Channels before height and width, as ONNX has them.
function convolutionalStep(g, at, next) {
    const zero = g.number(0);
    const update = updates(g, next);
    const pool = { kernel_shape: [2, 2], strides: [2, 2] };
    const last = stages.length;
    let x = g.op('Gather', ['samples', at]);
    stages.forEach((s, i) => {
        s.input = x;
        x = s.active = g.op('Relu', [g.op('Conv', [x, `kernel${i}`, `bias${i}`], s.pads)]);
        if (s.pooled) [x, s.places] = g.op('MaxPool', [x], pool, 2);
    });
    const mask = settings.dropout ? g.op('Gather', ['mask', at]) : null;
    const masking = y => mask === null ? y : g.op('Mul', [y, mask]);
    const kept = masking(g.op('Flatten', [x]));
    const [loss, dz] = softmaxLoss(g, g.op('Gemm', [kept, `kernel${last}`, `bias${last}`]),
        g.op('Gather', ['labels', at]));
    if (settings.adam) update(`kernel${last}`, g.op('Gemm', [kept, dz], { transA: 1 }));
    else next[`kernel${last}`] = sgdOfProduct(g, `kernel${last}`, kept, dz);
    update(`bias${last}`, g.op('ReduceSum', [dz, g.integers([0])], { keepdims: 0 }));
    let d = masking(g.op('Gemm', [dz, `kernel${last}`], { transB: 1 }));
    const flat = g.integers([-1]);
    const turned = y => g.op('Transpose', [y], { perm: [1, 0, 2, 3] });
    for (let i = last; i-- > 0;) {
        const s = stages[i];
        if (s.pooled) {
            const zeros = g.op('ConstantOfShape', [g.integers([batch * s.filters * s.out * s.out])]);
            d = g.op('ScatterElements', [zeros, g.op('Reshape', [s.places, flat]), g.op('Reshape', [d, flat])]);
        }
        const dy = masked(g, s.active,
            g.op('Reshape', [d, g.integers([batch, s.filters, s.out, s.out])]), zero);
        update(`bias${i}`, g.op('ReduceSum', [dy, g.integers([0, 2, 3])], { keepdims: 0 }));
        update(`kernel${i}`, turned(g.op('Conv', [turned(s.input), turned(dy)], s.pads)));
        if (i > 0) d = g.op('ConvTranspose', [dy, `kernel${i}`], s.pads);
    }
    return loss;
}

// --- the loop ---

const convolutional = settings.kind === 'convolutional';
const layers = ['dense', 'dense_1', 'dense_2'];
const states = {};
if (convolutional) {
    const filter = (name, height, width, channels, filters) => {
        const from = floats(name);
        const to = new Float32Array(from.length);
        for (let p = 0; p < height * width; ++p)
            for (let c = 0; c < channels; ++c)
                for (let f = 0; f < filters; ++f)
                    to[(f * channels + c) * height * width + p] = from[(p * channels + c) * filters + f];
        return { shape: [filters, channels, height, width], data: to };
    };
    const variable = (layer, i, kernel) => {
        states[`kernel${i}`] = kernel;
        const data = floats(`${layer}_bias`);
        states[`bias${i}`] = { shape: [data.length], data };
    };
    stages.forEach((s, i) => {
        const layer = i === 0 ? 'conv2d' : `conv2d_${i}`;
        variable(layer, i, filter(`${layer}_kernel`, 3, 3, s.channels, s.filters));
    });
    const { side, filters } = stages.at(-1);
    const features = side * side * filters;
    const rows = filter('dense_kernel', side, side, filters, 10).data; // by class, to be turned
    const dense = new Float32Array(rows.length);
    for (let f = 0; f < 10; ++f)
        for (let i = 0; i < features; ++i) dense[i * 10 + f] = rows[f * features + i];
    variable('dense', stages.length, { shape: [features, 10], data: dense });
    if (settings.adam) {
        for (const [name, { shape, data }] of Object.entries(states))
            for (const slot of ['mean', 'square'])
                states[`${name}_${slot}`] = { shape, data: new Float32Array(data.length) };
        states.step = { shape: [], data: new Float32Array(1) };
    }
} else {
    for (let l = 0; l + 1 < settings.widths.length; ++l) {
        const shape = settings.widths.slice(l, l + 2);
        states[`kernel${l}`] = { shape, data: floats(`${layers[l]}_kernel`) };
        states[`bias${l}`] = { shape: [shape[1]], data: floats(`${layers[l]}_bias`) };
    }
    if (settings.rmsprop)
        for (const [name, { shape, data }] of Object.entries(states))
            states[`${name}_square`] = { shape, data: new Float32Array(data.length) };
}

function model() {
    const names = Object.keys(states);
    const typed = name => [name, FLOAT, states[name].shape];
    const body = new Graph();
    const next = {};
    const loss = (convolutional ? convolutionalStep : denseStep)(body, 'at', next);
    body.op('Identity', ['go_on'], {}, ['goes_on']);
    const inner = body.serialised([['at', INT64, []], ['go_on', BOOL, []], ...names.map(typed)],
        [['goes_on', BOOL, []], ...names.map(n => [next[n], FLOAT, states[n].shape]), [loss, FLOAT, []]]);
    const outer = new Graph();
    outer.op('Loop', [outer.constant([batches], [], INT64), '', ...names], { body: inner },
        [...names.map(n => `${n}_last`), 'losses']);
    const inputs = Object.entries(data).map(([name, { dims }]) => [name, FLOAT, dims]);
    const graph = outer.serialised([...inputs, ...names.map(typed)],
        [...names.map(n => [`${n}_last`, FLOAT, states[n].shape]), ['losses', FLOAT, [batches]]]);
    return Buffer.concat([int(1, 8), message(8, bytes(1, ''), int(2, 13)), bytes(7, graph)]);
}

const tensor = (data, shape) => new ort.Tensor('float32', data, shape);
const image = convolutional ? [1, 28, 28] : [settings.widths[0]];
const data = {
    samples: tensor(floats('samples'), [batches, batch, ...image]),
    labels: tensor(floats('labels'), [batches, batch, 10]),
};
if (settings.dropout) {
    const { side, filters } = stages.at(-1);
    const places = side * side;
    const from = floats('mask'); // height, width, channels
    const mask = new Float32Array(from.length);
    for (let b = 0; b < batches * batch; ++b)
        for (let p = 0; p < places; ++p)
            for (let c = 0; c < filters; ++c)
                mask[(b * filters + c) * places + p] = from[(b * places + p) * filters + c];
    data.mask = tensor(mask, [batches, batch, places * filters]);
}
const session = await ort.InferenceSession.create(model(), {
    intraOpNumThreads: settings.threads, interOpNumThreads: 1, executionMode: 'sequential',
    graphOptimizationLevel: 'all', logSeverityLevel: 3,
});
let current = Object.fromEntries(Object.entries(states).map(([n, s]) => [n, tensor(s.data, s.shape)]));
async function pass() {
    const outputs = await session.run({ ...data, ...current });
    current = Object.fromEntries(Object.keys(states).map(n => [n, outputs[`${n}_last`]]));
    return outputs.losses.data;
}

const seconds = usage => (usage.user + usage.system) / 1e6;
for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'losses') {
        console.log(JSON.stringify({ losses: Array.from(await pass()) }));
        continue;
    }
    const began = process.cpuUsage();
    const wall = performance.now();
    let passes = 0;
    do {
        await pass();
        ++passes;
    } while (seconds(process.cpuUsage(began)) < settings.round_s);
    console.log(JSON.stringify({
        samples: passes * batches * batch, processor_s: seconds(process.cpuUsage(began)),
        wall_s: (performance.now() - wall) / 1000,
    }));
}
