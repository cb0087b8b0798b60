import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';

/** Nobody said whether there is such a name, or nobody waits for it any more. */
export class NoAnswer extends Error {
  readonly code = 'EAI_AGAIN';
}

interface Question {
  readonly askers: AbortSignal[];
  readonly answer: Promise<readonly LookupAddress[]>;
}

/**
 * Asks the system for names, one at a time. A question holds one of the two threads that the process has for all its
 * lookups until the last name server has answered, and no deadline takes it back; the other stays free for the rest of
 * the process.
 */
export class SystemNames {
  private readonly questions = new Map<string, Question>();
  private lastAnswered: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly find: (hostname: string) => Promise<readonly LookupAddress[]> = (hostname) =>
      lookup(hostname, { all: true, verbatim: true }),
  ) {}

  /**
   * Many who ask for one name at the same time are one question.
   * @param signal says that the asker waits no more: a question none of whose askers waits is not asked.
   * @throws the system's error (`ENOTFOUND`, `EAI_AGAIN`) where there is no such name.
   */
  ask(hostname: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
    const asked = this.questions.get(hostname);
    if (asked) {
      asked.askers.push(signal);
      return asked.answer;
    }
    const askers = [signal];
    const answer = this.lastAnswered
      .then(() => {
        if (askers.every(({ aborted }) => aborted)) throw new NoAnswer(`Nobody waits for ${hostname}`);
        return this.find(hostname);
      })
      .finally(() => this.questions.delete(hostname));
    this.questions.set(hostname, { askers, answer });
    this.lastAnswered = answer.catch(() => undefined);
    return answer;
  }
}
