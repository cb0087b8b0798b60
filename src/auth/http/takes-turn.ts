import type { IncomingHttpHeaders } from 'node:http';
import type { ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { IsRateExempt, TakesNoTurn } from './route-access.decorators';

/** The body of a send to about 2,000 recipients. */
const MIN_LARGE_SEND_BYTES = 32_768;

/** Whether a request waits for others of its account (`AccountTurns`): those of phones and small sends do not. */
export function takesTurn(
  reflector: Reflector,
  handler: ReturnType<ExecutionContext['getHandler']>,
  headers: IncomingHttpHeaders,
): boolean {
  if (reflector.get(IsRateExempt, handler)) return false;
  const exempt = reflector.get(TakesNoTurn, handler);
  return exempt === 'small' ? isLarge(headers) : exempt !== 'all';
}

/** A body without Content-Length counts as large. */
const isLarge = ({ 'content-length': length }: IncomingHttpHeaders): boolean =>
  length === undefined || Number(length) >= MIN_LARGE_SEND_BYTES;
