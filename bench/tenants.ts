import type { Tenant } from './tenant';

/** The accounts of a row, called in turn: calls of one account could share work in the service. */
export class Tenants {
  private calls = 0;

  constructor(readonly all: readonly [Tenant, ...Tenant[]]) {}

  get first(): Tenant {
    return this.all[0];
  }

  /** The account of the next call. */
  next(): Tenant {
    return this.all[this.calls++ % this.all.length] ?? this.first;
  }
}
