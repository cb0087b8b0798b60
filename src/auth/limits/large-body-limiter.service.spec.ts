import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Types } from 'mongoose';
import { accountScope } from '../account-scope';
import { LargeBodyLimiter, MAX_LARGE_BODY_TURN_MS } from './large-body-limiter.service';

class FakeResponse extends EventEmitter {
  closed = false;

  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

const limiter = new LargeBodyLimiter();
const [account, other] = [accountScope(new Types.ObjectId()), accountScope(new Types.ObjectId())];

describe('the large bodies of an account', () => {
  it('are processed one after the other, in their order; further ones wait, and more than that are refused', async () => {
    const admitted: number[] = [];
    const responses = Array.from({ length: 32 }, () => new FakeResponse());
    const admit = (response: FakeResponse, scope = account) =>
      limiter.admit(scope, response as unknown as ServerResponse);
    const all = responses.map(async (response, index) => {
      await admit(response);
      admitted.push(index);
    });
    await new Promise(setImmediate);
    expect(admitted).toEqual([0]);
    await expect(admit(new FakeResponse())).rejects.toThrow('at most 32');
    // Another account is not concerned.
    await admit(new FakeResponse(), other);

    responses[0]?.close();
    await new Promise(setImmediate);
    expect(admitted).toEqual([0, 1]);

    // One that ended while it waited frees its place at once.
    responses[2]?.close();
    responses[1]?.close();
    await new Promise(setImmediate);
    expect(admitted).toEqual([0, 1, 2, 3]);

    for (const response of responses) response.close();
    await Promise.all(all);
    expect(admitted).toHaveLength(32);
    await admit(new FakeResponse());
  });

  it('do not wait longer for a client that uploads slowly', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const responses = [new FakeResponse(), new FakeResponse()] as const;
    const [slow, next] = responses as unknown as readonly [ServerResponse, ServerResponse];
    const queue = new LargeBodyLimiter();
    await queue.admit(account, slow);
    const admission = queue.admit(account, next);
    await jest.advanceTimersByTimeAsync(MAX_LARGE_BODY_TURN_MS);
    await admission;
    jest.useRealTimers();
  });
});
