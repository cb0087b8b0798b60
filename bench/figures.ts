import { percentile } from '../test/load/figures';
import type { Measured } from './measure';
import type { RowName } from './options';
import { rateOf } from './slice';

/** What a row came to. */
export interface RowFigures {
  readonly name: RowName;
  readonly perSecond: number;
  readonly limitPerSecond: number;
  readonly ratio: number;
  /** Of the operations of the service, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export function figuresOf(name: RowName, { service, limit }: Measured): RowFigures {
  const perSecond = rateOf(service);
  const limitPerSecond = rateOf(limit);
  const times = service.flatMap((slice) => slice.times);
  return {
    name,
    perSecond: round(perSecond, 1),
    limitPerSecond: round(limitPerSecond, 1),
    ratio: round(perSecond / limitPerSecond, 3),
    p50: round(percentile(times, 0.5), 2),
    p99: round(percentile(times, 0.99), 2),
  };
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
