import { packageOf, summarise } from './profile';

const frame = (functionName: string, url: string, lineNumber = 0) => ({ functionName, url, lineNumber });

describe('profile summary', () => {
  it('groups by package, module of the service and part of Node', () => {
    expect(packageOf('file:///srv/node_modules/mongoose/node_modules/mongodb/lib/db.js')).toBe('mongodb');
    expect(packageOf('/srv/node_modules/@nestjs/core/router.js')).toBe('@nestjs/core');
    expect(packageOf('file:///srv/dist/gateway/sends/send.service.js')).toBe('own gateway');
    expect(packageOf('file:///srv/src/gateway/sends/send.service.ts')).toBe('own gateway');
    expect(packageOf('node:internal/streams/writable')).toBe('node:internal/streams');
    expect(packageOf('', '(garbage collector)')).toBe('(garbage collector)');
    expect(packageOf('', 'writev')).toBe('native');
  });

  it('sums up self time without idle time', () => {
    const summary = summarise(
      {
        nodes: [
          { id: 1, callFrame: frame('(idle)', '') },
          { id: 2, callFrame: frame('send', 'file:///srv/dist/gateway/sends/send.service.js', 9) },
          { id: 3, callFrame: frame('serialize', 'file:///srv/node_modules/bson/bson.cjs', 1) },
        ],
        samples: [2, 1, 3, 2],
        // The first delta precedes the first sample.
        timeDeltas: [1_000, 30, 40, 10],
      },
      10,
    );
    expect(summary.busy).toBeCloseTo(0.5);
    expect(summary.byPackage).toEqual([
      { where: 'own gateway', share: 0.75 },
      { where: 'bson', share: 0.25 },
    ]);
    expect(summary.byFunction[0]).toEqual({ where: 'send own gateway:10', share: 0.75 });
  });
});
