import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isNativeError } from 'node:util/types';
import { NoAnswer, SystemNames } from './system-names';

/** How long a name server may take before the question goes to it, or to another, once more. */
const ANSWER_LIMIT_MS = 2_000;
const MOST_TRIES = 2;

/** How long the addresses of one family are waited for once those of the other are found. */
const OTHER_FAMILY_LIMIT_MS = 1_000;

/** No such name in DNS, a name that cannot be one in DNS, or no DNS that could be asked. */
const UNKNOWN_TO_DNS: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'ECONNREFUSED']);

/** Turns names into addresses. */
export abstract class NameLookup {
  /**
   * @param signal gives the lookup up.
   * @returns the addresses of the name; of one family only, when those of the other do not come in time.
   * @throws an error whose `code` is that of the system: `ENOTFOUND` where there is none, `EAI_AGAIN` where none could
   *   be looked up.
   */
  abstract lookup(hostname: string, signal: AbortSignal): Promise<readonly LookupAddress[]>;
}

/**
 * Asks the name servers, and for names that DNS does not have the system, which knows the hosts file, the search
 * domains of containers and the names of the local network. It is not asked first: two names whose servers are silent
 * would hold up everybody.
 */
export class SystemNameLookup extends NameLookup {
  /**
   * @param nameServers addresses with ports, such as `127.0.0.1:53`; those of the system when absent.
   * @param system finds what DNS does not have.
   */
  constructor(
    private readonly nameServers?: readonly string[],
    private readonly system = new SystemNames(),
  ) {
    super();
  }

  async lookup(hostname: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
    const answers = await this.askNameServers(hostname, signal);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    const codes = answers.map((answer) => answer.status === 'rejected' && codeOf(answer.reason));
    if (codes.every((code) => UNKNOWN_TO_DNS.has(code))) return this.system.ask(hostname, signal);
    throw new NoAnswer(`No name server answered for ${hostname} (${codes.join(', ')})`);
  }

  /** A resolver of their own for each question: giving it up gives up all that it was asked. */
  private async askNameServers(
    hostname: string,
    signal: AbortSignal,
  ): Promise<readonly PromiseSettledResult<readonly LookupAddress[]>[]> {
    const resolver = new Resolver({ timeout: ANSWER_LIMIT_MS, tries: MOST_TRIES });
    if (this.nameServers) resolver.setServers(this.nameServers);
    const giveUp = () => {
      resolver.cancel();
    };
    let limit: NodeJS.Timeout | undefined;
    const addresses = async (family: 4 | 6, question: Promise<readonly string[]>) => {
      const found = await question;
      limit ??= setTimeout(giveUp, OTHER_FAMILY_LIMIT_MS);
      return found.map((address) => ({ address, family }));
    };
    signal.addEventListener('abort', giveUp);
    try {
      return await Promise.allSettled([
        addresses(4, resolver.resolve4(hostname)),
        addresses(6, resolver.resolve6(hostname)),
      ]);
    } finally {
      signal.removeEventListener('abort', giveUp);
      clearTimeout(limit);
    }
  }
}

function codeOf(failure: unknown): unknown {
  return isNativeError(failure) && 'code' in failure ? failure.code : undefined;
}
