import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { byId, distinctIds } from '../../common/documents';
import { BatchesRepository } from '../../messages/batches.repository';
import { SuppressedMessagesRepository } from './suppressed-messages.repository';

/** Batches to one number that are read to find the topic of the last one, beside automatic replies. */
const MAX_LAST_BATCHES = 5;

/** Finds out which topic a person means who writes STOP. */
@Injectable()
export class LastTopics {
  constructor(
    private readonly messages: SuppressedMessagesRepository,
    private readonly batches: BatchesRepository,
  ) {}

  /** The topic of the last send to a number, if it declared one. */
  async find(account: AccountScope, number: string): Promise<string | undefined> {
    const last = await this.messages.listLastBatches(account, number, MAX_LAST_BATCHES);
    const batches = byId(last.length > 0 ? await this.batches.listDeclared(account, distinctIds(last)) : []);
    const declared = last.flatMap((id) => batches.get(id.toHexString()) ?? []);
    return declared.find(({ purpose }) => purpose !== 'consent')?.topic;
  }
}
