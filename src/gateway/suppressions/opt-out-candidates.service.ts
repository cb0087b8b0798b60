import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { AccountTurns } from '../../auth/limits/account-turns.service';
import { groupBy } from '../../common/group-by';
import { inSlices } from '../../common/slices';
import { NumberKeys } from '../../consent/numbers/number-keys.service';
import { ALL_TOPICS } from '../../consent/records/consent-record.schema';
import type { ConsentSettings } from '../../consent/settings/consent-settings';
import { ConsentSettingsService } from '../../consent/settings/consent-settings.service';
import { ConsentDecisions } from '../../consent/suppressions/consent-decisions.service';
import { SuppressionsRepository } from '../../consent/suppressions/suppressions.repository';
import { lastOptOut, timeOf } from './last-keyword';
import { isNumber, uploadKeyOf } from './opt-outs.service';
import { type ReceivedText, ReceivedTextsRepository } from './received-texts.repository';
import { SuppressedMessages } from './suppressed-messages.service';

/** A person whose last word, in a text that was stored before texts were read, was an out-word alone. */
export interface OptOutCandidate {
  /** In comparable form, see `peerNumber` in `src/common`. */
  readonly number: string;
  readonly words: string;
  readonly at: Date;
  readonly message: Types.ObjectId;
}

/** What one call looks at. */
export interface CandidatePart<Result> {
  readonly result: Result;
  /** The number after which the next part begins; undefined after the last one. */
  readonly next: string | undefined;
}

/** Read and compared in some 50 ms, in slices. */
const TEXTS_PER_PART = 2_000;

/** Blocking one takes several writes. */
const CANDIDATES_PER_PART = 100;

/** Finds people who had asked for no more messages before their account read texts, and blocks them if their owner says so. */
@Injectable()
export class OptOutCandidates {
  constructor(
    private readonly texts: ReceivedTextsRepository,
    private readonly settings: ConsentSettingsService,
    private readonly suppressions: SuppressionsRepository,
    private readonly decisions: ConsentDecisions,
    private readonly suppressed: SuppressedMessages,
    private readonly keys: NumberKeys,
    private readonly turns: AccountTurns,
  ) {}

  /** Lists those in a part of the stored texts who are not blocked, and about whom nothing was decided since. */
  async list(account: AccountScope, after: string): Promise<CandidatePart<readonly OptOutCandidate[]>> {
    const { result, next } = await this.find(account, after, await this.settings.get(account));
    return {
      result: result.map((text) => ({
        ...{ number: text.peerNumber, words: text.message, at: timeOf(text), message: text._id },
      })),
      next,
    };
  }

  /**
   * Blocks those in a part as if their texts arrived now. Repeatable: a person who is blocked is no candidate.
   * @returns how many.
   * @throws BatchChanging
   */
  async suppress(account: AccountScope, after: string): Promise<CandidatePart<number>> {
    const settings = await this.settings.get(account);
    const { result, next } = await this.find(account, after, settings);
    const doPart = this.turns.parts(account);
    for (const text of result) await doPart(() => this.block(account, settings, text));
    return { result: result.length, next };
  }

  private async block(account: AccountScope, settings: ConsentSettings, text: ReceivedText): Promise<void> {
    const { _id, device, peerNumber, message, fingerprint = _id.toHexString(), simSubscriptionId } = text;
    await this.decisions.record(account, {
      ...{ number: peerNumber, state: 'out', source: 'keyword', words: message, message: _id, device },
      covers: settings.stopCovers === 'everything' ? 'everything' : 'undeclared',
      at: timeOf(text),
      ...(simSubscriptionId !== undefined && { simSubscriptionId }),
      uploadKey: uploadKeyOf(device, fingerprint),
    });
    if (settings.enabled) await this.suppressed.failPending(account, peerNumber);
  }

  private async find(
    account: AccountScope,
    after: string,
    settings: ConsentSettings,
  ): Promise<CandidatePart<readonly ReceivedText[]>> {
    const found = await this.texts.listBySender(account, after, TEXTS_PER_PART);
    const bySender = groupBy(found, ({ peerNumber }) => peerNumber);
    const isLast = found.length < TEXTS_PER_PART;
    const lastSender = found.at(-1)?.peerNumber ?? '';
    if (!isLast) {
      // It may have more texts: it is left to the next part. If it fills this one, its latest texts count.
      if (bySender.size > 1) bySender.delete(lastSender);
      else bySender.set(lastSender, await this.texts.listLatest(account, lastSender, TEXTS_PER_PART));
    }
    const optOuts = await inSlices(optOutsOf(bySender, settings));
    const part = optOuts.slice(0, CANDIDATES_PER_PART);
    const isCut = part.length < optOuts.length;
    const next = isCut ? part.at(-1)?.peerNumber : isLast ? undefined : [...bySender.keys()].at(-1);
    return { result: await this.withoutDecided(account, part), next };
  }

  private async withoutDecided(
    account: AccountScope,
    texts: readonly ReceivedText[],
  ): Promise<readonly ReceivedText[]> {
    if (texts.length === 0) return texts;
    const keys = await this.keys.keysOf(
      account,
      texts.map(({ peerNumber }) => peerNumber),
    );
    const blocks = await this.suppressions.findOfNumbers(account, keys);
    return texts.filter((text, index) =>
      (blocks.get(keys[index] ?? '') ?? []).every(
        ({ topic, state, at }) => at < timeOf(text) && !(topic === ALL_TOPICS && state === 'out'),
      ),
    );
  }
}

function* optOutsOf(
  bySender: ReadonlyMap<string, readonly ReceivedText[]>,
  settings: ConsentSettings,
): Generator<undefined, ReceivedText[]> {
  const found: ReceivedText[] = [];
  for (const [number, texts] of bySender) {
    const text = isNumber(number) ? lastOptOut(texts, settings) : undefined;
    if (text) found.push(text);
    yield;
  }
  return found;
}
