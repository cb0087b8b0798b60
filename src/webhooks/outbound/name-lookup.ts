import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';

/** Turns names into addresses. */
export abstract class NameLookup {
  /**
   * @returns every address of the name.
   * @throws the system's error (`ENOTFOUND`, `EAI_AGAIN`) where there is none.
   */
  abstract lookup(hostname: string): Promise<readonly LookupAddress[]>;
}

/**
 * Asks the system, hosts file included. Each question holds one of the process's few threads until it is answered,
 * and a deadline cannot take it back: many questions for one slow name are therefore one.
 */
@Injectable()
export class SystemNameLookup extends NameLookup {
  private readonly underWay = new Map<string, Promise<readonly LookupAddress[]>>();

  lookup(hostname: string): Promise<readonly LookupAddress[]> {
    const asked = this.underWay.get(hostname);
    if (asked) return asked;
    const answer = lookup(hostname, { all: true, verbatim: true }).finally(() => {
      this.underWay.delete(hostname);
    });
    this.underWay.set(hostname, answer);
    return answer;
  }
}
