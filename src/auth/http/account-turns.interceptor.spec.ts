import type { IncomingHttpHeaders } from 'node:http';
import { Reflector } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { Types } from 'mongoose';
import { EMPTY, lastValueFrom } from 'rxjs';
import { accountScope } from '../account-scope';
import { AccountTurns } from '../limits/account-turns.service';
import { AccountTurnsInterceptor } from './account-turns.interceptor';
import { IsRateExempt, TakesNoTurn } from './route-access.decorators';

const read = () => undefined;
const send = () => undefined;
const wait = () => undefined;
const report = () => undefined;
TakesNoTurn('small')(send);
TakesNoTurn('all')(wait);
IsRateExempt(true)(report);

const user = accountScope(new Types.ObjectId());

/** Whether a request waits while other requests of its account have all turns. */
async function waits(handler: () => undefined, headers: IncomingHttpHeaders): Promise<boolean> {
  const turns = new AccountTurns();
  const ends = await Promise.all([turns.begin(user), turns.begin(user), turns.begin(user)]);
  const interceptor = new AccountTurnsInterceptor(new Reflector(), turns);
  const context = new ExecutionContextHost([{ user, headers }], undefined, handler);
  let isHandled = false;
  const handle = () => {
    isHandled = true;
    return EMPTY;
  };
  const handled = interceptor.intercept(context, { handle });
  await new Promise((resolve) => setImmediate(resolve));
  const hasWaited = !isHandled;
  for (const end of ends) end();
  await lastValueFrom(await handled, { defaultValue: undefined });
  expect(isHandled).toBe(true);
  return hasWaited;
}

describe('AccountTurnsInterceptor', () => {
  it.each([
    ['a read waits for its turn', read, {}, true],
    ['a small send does not', send, { 'content-length': '32767' }, false],
    ['a large send does', send, { 'content-length': '32768' }, true],
    ['a send without a stated length does', send, {}, true],
    ['a route that itself waits does not', wait, { 'content-length': '1000000' }, false],
    ['a report of a phone does not', report, { 'content-length': '1000000' }, false],
  ])('%s', async (_, handler, headers, expected) => {
    expect(await waits(handler, headers)).toBe(expected);
  });
});
