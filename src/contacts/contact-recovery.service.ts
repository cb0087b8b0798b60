import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { HOUR_MS } from '../common/durations';
import { distinctIds } from '../common/documents';
import { ContactMerge } from './contact-merge.service';
import { ContactsRepository } from './store/contacts.repository';
import { ContactListsRepository } from './lists/contact-lists.repository';
import { ContactLists } from './lists/contact-lists.service';

/** Completes merges of contacts and deletions of lists that were interrupted. */
@Injectable()
export class ContactRecovery {
  readonly intervalMs = HOUR_MS;

  constructor(
    private readonly contacts: ContactsRepository,
    private readonly lists: ContactListsRepository,
    private readonly merges: ContactMerge,
    private readonly contactLists: ContactLists,
  ) {}

  /** Those of these accounts that have any. */
  async listActive(users: readonly Types.ObjectId[]): Promise<Types.ObjectId[]> {
    return distinctIds([
      ...(await this.contacts.listUsersWithHidden(users)),
      ...(await this.lists.listUsersWithHidden(users)),
    ]);
  }

  async maintain(account: AccountScope): Promise<void> {
    await this.merges.recoverAll(account);
    await this.contactLists.recoverAll(account);
  }
}
