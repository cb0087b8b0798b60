import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { AccountsRepository } from '../../auth/accounts/accounts.repository';
import { Clock } from '../../common/clock';
import { FieldErrors } from '../../common/errors';
import { BatchesRepository } from '../../messages/batches.repository';
import { MessagesRepository } from '../../messages/messages.repository';
import { clashingMeaning } from '../words/read-words';
import { wordsOfText } from '../words/text-words';
import { KEYWORD_MEANINGS } from '../words/languages/word-list';
import { type ConsentSettings, type ConsentSettingsPatch, consentSettingsOf } from './consent-settings';

const BATCHES_PER_WRITE = 1_000;

@Injectable()
export class ConsentSettingsService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly batches: BatchesRepository,
    private readonly messages: MessagesRepository,
    private readonly clock: Clock,
  ) {}

  async get(account: AccountScope): Promise<ConsentSettings> {
    return consentSettingsOf((await this.accounts.findSendingAccount(account))?.consent);
  }

  /**
   * Changes the settings that are given; null removes a text. Blocks that exist keep what they cover. Switching consent on or off
   * also counts for what is accepted and waits.
   * @throws ValidationFailed if a keyword has no letters, or another meaning already.
   */
  async update(account: AccountScope, patch: ConsentSettingsPatch): Promise<ConsentSettings> {
    checkKeywords(patch);
    const { senderName, contact, ...others } = patch;
    const texts = { senderName, contact };
    const given = Object.entries({ ...others, ...texts }).filter(
      ([, value]) => value !== undefined && value !== null,
    );
    const removed = (['senderName', 'contact'] as const).filter((name) => texts[name] === null);
    await this.accounts.setConsent(account, Object.fromEntries(given), removed, this.clock.now());
    if (patch.enabled !== undefined) await this.markWaiting(account, patch.enabled);
    return this.get(account);
  }

  /** A batch knows whether to read the blocks of its recipients, so that others cost no read. */
  private async markWaiting(account: AccountScope, checksConsent: boolean): Promise<void> {
    const ids = await this.messages.listPendingBatches(account);
    for (let from = 0; from < ids.length; from += BATCHES_PER_WRITE)
      await this.batches.setChecksConsent(account, ids.slice(from, from + BATCHES_PER_WRITE), checksConsent);
  }
}

function checkKeywords({ keywords }: ConsentSettingsPatch): void {
  const errors = new FieldErrors();
  for (const meaning of KEYWORD_MEANINGS) {
    for (const [index, keyword] of (keywords?.[meaning] ?? []).entries()) {
      const field = `keywords.${meaning}.${index}`;
      const clash = clashingMeaning(keyword, meaning);
      const others = KEYWORD_MEANINGS.filter((other) => other !== meaning);
      const form = wordsOfText(keyword).join(' ');
      if (form === '') errors.add(field, 'must have letters or digits');
      else if (clash) errors.add(field, `is a keyword with the meaning ${clash} already`);
      else if (others.some((other) => keywords?.[other].some((each) => wordsOfText(each).join(' ') === form)))
        errors.add(field, 'must not have two meanings');
    }
  }
  errors.throwIfAny();
}
