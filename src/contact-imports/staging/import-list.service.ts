import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { ValidationFailed } from '../../common/errors';
import { foldText } from '../../common/text/fold-text';
import { ListIsSegment, ListLimitReached, ListNotFound } from '../../contacts/store/contact.errors';
import { ContactListsRepository } from '../../contacts/lists/contact-lists.repository';
import { ContactLists } from '../../contacts/lists/contact-lists.service';
import { MAX_LISTS_PER_ACCOUNT } from '../../contacts/store/contact-limits';
import type { ImportOptions } from './import-options';

type ListOption = NonNullable<ImportOptions['list']>;

/** The list whose members the contacts of an import become. */
@Injectable()
export class ImportList {
  constructor(
    private readonly lists: ContactLists,
    private readonly repository: ContactListsRepository,
  ) {}

  /** Checks a list before a file is read, without creating it. @throws ListNotFound, ListIsSegment, ListLimitReached */
  async check(account: AccountScope, list: ListOption): Promise<void> {
    if ('id' in list) await this.find(account, list.id);
    else if (!(await this.findNamed(account, list.name))) await this.assertRoom(account);
  }

  /** @returns the id of the list, which is created if it does not exist. @throws as `check`. */
  async resolve(account: AccountScope, list: ListOption): Promise<Types.ObjectId> {
    if ('id' in list) return this.find(account, list.id);
    const { name } = list;
    const found = await this.findNamed(account, name);
    if (found) return found;
    try {
      return (await this.lists.create(account, { name })).list._id;
    } catch (failure) {
      // Another request may have created it meanwhile.
      const created = failure instanceof ValidationFailed && (await this.findNamed(account, name));
      if (created) return created;
      throw failure;
    }
  }

  private async find(account: AccountScope, id: Types.ObjectId): Promise<Types.ObjectId> {
    const found = await this.repository.find(account, id);
    if (!found) throw new ListNotFound();
    if (found.segment) throw new ListIsSegment();
    return id;
  }

  private async findNamed(account: AccountScope, name: string): Promise<Types.ObjectId | undefined> {
    const nameKey = foldText(name);
    const found = (await this.repository.list(account)).find((list) => list.nameKey === nameKey);
    if (found?.segment) throw new ListIsSegment();
    return found?._id;
  }

  private async assertRoom(account: AccountScope): Promise<void> {
    if ((await this.repository.list(account)).length >= MAX_LISTS_PER_ACCOUNT) throw new ListLimitReached();
  }
}
