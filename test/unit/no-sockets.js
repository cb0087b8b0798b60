const { ChildProcess } = require('node:child_process');
const dgram = require('node:dgram');
const net = require('node:net');
const { join } = require('node:path');

/** The calls that open a socket or start a process, as `[prototype, method]`. */
const FORBIDDEN = [
  [net.Socket.prototype, 'connect'],
  [net.Server.prototype, 'listen'],
  [dgram.Socket.prototype, 'bind'],
  [dgram.Socket.prototype, 'send'],
  [ChildProcess.prototype, 'spawn'],
];
const { testPath } = expect.getState();
const isUnitSpec = !testPath.startsWith(join(__dirname, '..')) && !testPath.endsWith('.integration.spec.ts');

// Jest shares Node's own modules between spec files, so everything replaced here is put back.
if (isUnitSpec) {
  const attempts = [];
  const originals = FORBIDDEN.map(([prototype, method]) => prototype[method]);

  beforeAll(() => {
    for (const [prototype, method] of FORBIDDEN) {
      prototype[method] = () => {
        const call = `${prototype.constructor.name}.${method}`;
        const attempt = new Error(`A unit test called ${call}: rename its file to *.integration.spec.ts`);
        attempts.push(attempt);
        throw attempt;
      };
    }
  });

  afterAll(() => {
    FORBIDDEN.forEach(([prototype, method], index) => (prototype[method] = originals[index]));
    // The test may have caught the error.
    if (attempts.length > 0) throw attempts[0];
  });
}
