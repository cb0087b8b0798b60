import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { AccountsRepository } from '../../auth/accounts/accounts.repository';
import { Clock } from '../../common/clock';
import { ValidationFailed } from '../../common/errors';
import { PHONE_NUMBER_PROBLEMS, readPhoneNumber } from '../../common/phone-number';
import { ConsentNumbers } from '../../consent/numbers/consent-numbers.service';
import { ALL_TOPICS, type ConsentSource } from '../../consent/records/consent-record.schema';
import { ConsentSettingsService } from '../../consent/settings/consent-settings.service';
import { ConsentDecisions } from '../../consent/suppressions/consent-decisions.service';
import { currentState } from '../../consent/suppressions/suppression-rules';
import { SuppressionsRepository } from '../../consent/suppressions/suppressions.repository';
import { pageOf, type Position } from '../../messages/lists/message-cursor';
import { SuppressedMessages } from './suppressed-messages.service';
import { SuppressionNotFound } from './suppression.errors';
import { type SuppressionView, SuppressionViews } from './suppression-views.service';

export interface SuppressionQuery {
  /** In any spelling; absent: of all numbers. */
  readonly number?: string;
  readonly state?: 'out' | 'held';
  readonly limit: number;
  readonly after?: Position;
}

export interface SuppressionPage {
  readonly suppressions: readonly SuppressionView[];
  readonly nextCursor: string | null;
}

export interface NewSuppression {
  /** In any spelling. */
  readonly number: string;
  /** Absent: all topics. */
  readonly topic?: string;
  readonly state: 'out' | 'held';
  readonly reason?: string;
}

/** The blocks of an account, for its owner. */
@Injectable()
export class Suppressions {
  constructor(
    private readonly suppressions: SuppressionsRepository,
    private readonly decisions: ConsentDecisions,
    private readonly settings: ConsentSettingsService,
    private readonly suppressed: SuppressedMessages,
    private readonly views: SuppressionViews,
    private readonly accounts: AccountsRepository,
    private readonly numbers: ConsentNumbers,
    private readonly clock: Clock,
  ) {}

  /** Lists blocks, the latest first. */
  async list(account: AccountScope, query: SuppressionQuery): Promise<SuppressionPage> {
    const { number, state, limit, after } = query;
    const numberKeys = number === undefined ? undefined : await this.numbers.keysMatching(account, number);
    const now = this.clock.now();
    const found = await this.suppressions.list(account, { numberKeys, state }, after, limit + 1, now);
    const { items, nextCursor } = pageOf(found, limit, ({ at }) => at);
    return { suppressions: await this.views.of(account, items, now), nextCursor };
  }

  /**
   * Blocks a number. What waits for it and is stopped fails, if consent is switched on.
   * @returns the block; one that is out stays out.
   * @throws ValidationFailed, BatchChanging
   */
  async block(
    account: AccountScope,
    { number: text, topic = ALL_TOPICS, state, reason }: NewSuppression,
    source: ConsentSource,
  ): Promise<SuppressionView> {
    const { problem } = readPhoneNumber(text);
    if (problem !== undefined) throw ValidationFailed.of('number', PHONE_NUMBER_PROBLEMS[problem]);
    const [number, { enabled, stopCovers }] = await Promise.all([
      this.numbers.read(account, text),
      this.settings.get(account),
    ]);
    const [at, person] = [this.clock.now(), await this.personOf(account, source)];
    await this.decisions.record(account, {
      ...{ number, topic, state, at, source, ...person },
      covers: stopCovers === 'everything' ? 'everything' : 'undeclared',
      ...(reason !== undefined && { reason }),
    });
    if (enabled) await this.suppressed.withdraw(account, number);
    const key = await this.numbers.keyOf(account, number);
    const blocks = (await this.suppressions.findOfNumbers(account, [key])).get(key) ?? [];
    const suppression = blocks.find((each) => each.topic === topic);
    if (!suppression) throw new SuppressionNotFound();
    // Somebody may have lifted it meanwhile.
    return { suppression, state: currentState(suppression, at) ?? state };
  }

  /** Who decides on a page. */
  private async personOf(
    account: AccountScope,
    source: ConsentSource,
  ): Promise<{ readonly person?: string }> {
    if (source !== 'web') return {};
    const profile = await this.accounts.findProfile(account);
    const person = [profile?.name, profile?.email].find(Boolean);
    return person ? { person } : {};
  }

  /** Lifts a block. @throws SuppressionNotFound */
  async lift(
    account: AccountScope,
    id: Types.ObjectId,
    reason: string,
    source: ConsentSource,
  ): Promise<void> {
    const found = await this.suppressions.find(account, id);
    if (!found || found.state === 'lifted') throw new SuppressionNotFound();
    const { number, topic } = found;
    const [at, person] = [this.clock.now(), await this.personOf(account, source)];
    await this.decisions.recordLifting(account, id, { number, topic, at, source, reason, ...person });
  }
}
