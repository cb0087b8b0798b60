import type { Tenant } from './tenant';

/**
 * The accounts of a row, one for each lane. Calls of one account could share work in the service, and wait for each other: lanes
 * that shared accounts would all wait for the slowest of them, as no clients of their own accounts do.
 */
export class Tenants {
  constructor(readonly all: readonly [Tenant, ...Tenant[]]) {}

  get first(): Tenant {
    return this.all[0];
  }

  /** @param lane the number of a lane, from 0. */
  of(lane: number): Tenant {
    return this.all[lane % this.all.length] ?? this.first;
  }
}
