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

/// Channels before height and width, as ONNX has them.
function convolutionalStep(g, at, next) {
    const zero = g.number(0);
    const pool = { kernel_shape: [2, 2], strides: [2, 2] };
    const stages = [{ filters: 32, size: 26 }, { filters: 64, size: 11 }];
    let x = g.op('Gather', ['samples', at]);
    stages.forEach((s, i) => {
        s.input = x;
        s.active = g.op('Relu', [g.op('Conv', [x, `kernel${i}`, `bias${i}`])]);
        [x, s.places] = g.op('MaxPool', [s.active], pool, 2);
    });
    const mask = g.op('Gather', ['mask', at]);
    const kept = g.op('Mul', [g.op('Flatten', [x]), mask]);
    const [loss, dz] = softmaxLoss(g, g.op('Gemm', [kept, 'kernel2', 'bias2']), g.op('Gather', ['labels', at]));
    next.kernel2 = sgdOfProduct(g, 'kernel2', kept, dz);
    next.bias2 = sgd(g, 'bias2', g.op('ReduceSum', [dz, g.integers([0])], { keepdims: 0 }));
    let d = g.op('Mul', [g.op('Gemm', [dz, 'kernel2'], { transB: 1 }), mask]);
    const flat = g.integers([-1]);
    const turned = y => g.op('Transpose', [y], { perm: [1, 0, 2, 3] });
    for (const i of [1, 0]) {
        const s = stages[i];
        const zeros = g.op('ConstantOfShape', [g.integers([batch * s.filters * s.size * s.size])]);
        const spread = g.op('ScatterElements',
            [zeros, g.op('Reshape', [s.places, flat]), g.op('Reshape', [d, flat])]);
        const dy = masked(g, s.active,
            g.op('Reshape', [spread, g.integers([batch, s.filters, s.size, s.size])]), zero);
        next[`bias${i}`] = sgd(g, `bias${i}`, g.op('ReduceSum', [dy, g.integers([0, 2, 3])], { keepdims: 0 }));
        next[`kernel${i}`] = sgd(g, `kernel${i}`, turned(g.op('Conv', [turned(s.input), turned(dy)])));
        if (i > 0) d = g.op('ConvTranspose', [dy, `kernel${i}`]);
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
    states.kernel0 = filter('conv2d_kernel', 3, 3, 1, 32);
    states.kernel1 = filter('conv2d_1_kernel', 3, 3, 32, 64);
    const rows = filter('dense_kernel', 5, 5, 64, 10).data; // [10][64][25], to be turned
    const dense = new Float32Array(rows.length);
    for (let f = 0; f < 10; ++f) for (let i = 0; i < 1600; ++i) dense[i * 10 + f] = rows[f * 1600 + i];
    states.kernel2 = { shape: [1600, 10], data: dense };
    ['conv2d_bias', 'conv2d_1_bias', 'dense_bias'].forEach((name, i) => {
        const data = floats(name);
        states[`bias${i}`] = { shape: [data.length], data };
    });
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
if (convolutional) {
    const from = floats('mask'); // height, width, channels
    const mask = new Float32Array(from.length);
    for (let b = 0; b < batches * batch; ++b)
        for (let p = 0; p < 25; ++p)
            for (let c = 0; c < 64; ++c) mask[b * 1600 + c * 25 + p] = from[b * 1600 + p * 64 + c];
    data.mask = tensor(mask, [batches, batch, 1600]);
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
