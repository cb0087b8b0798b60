import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { ValidationFailed } from '../../common/errors';
import { KeyedQueue } from '../../common/keyed-queue';
import { lowestFreeSlot } from '../../common/lowest-free-slot';
import { MAX_VIEWS_PER_ACCOUNT, ViewLimitReached, ViewNotFound } from './view.errors';
import { parseViewQuery } from './view-query';
import type { View } from './view.schema';
import { type ViewPatch, ViewsRepository } from './views.repository';

/** The saved views of the message list of an account. */
@Injectable()
export class ViewsService {
  private readonly creations = new KeyedQueue();

  constructor(
    private readonly views: ViewsRepository,
    private readonly clock: Clock,
  ) {}

  list(account: AccountScope): Promise<View[]> {
    return this.views.list(account);
  }

  /** @throws ViewLimitReached, ValidationFailed for an invalid query or a name that is taken. */
  async create(account: AccountScope, input: Pick<View, 'name' | 'query'>): Promise<View> {
    const query = await parseViewQuery(input.query);
    return this.creations.run(account.user.toHexString(), () =>
      this.insert(account, { name: input.name, query }),
    );
  }

  /** @throws ViewNotFound, ValidationFailed for an invalid query or a name that is taken. */
  async update(account: AccountScope, id: Types.ObjectId, patch: ViewPatch): Promise<View> {
    const { name, query } = patch;
    const changes: ViewPatch = {
      ...(name !== undefined && { name }),
      ...(query !== undefined && { query: await parseViewQuery(query) }),
    };
    const updated = await this.views.update(account, id, changes, this.clock.now());
    if (updated === 'taken') throw nameTaken();
    if (!updated) throw new ViewNotFound();
    return updated;
  }

  /** @throws ViewNotFound */
  async remove(account: AccountScope, id: Types.ObjectId): Promise<void> {
    if (!(await this.views.remove(account, id))) throw new ViewNotFound();
  }

  private async insert(account: AccountScope, input: Pick<View, 'name' | 'query'>): Promise<View> {
    for (;;) {
      const known = await this.views.list(account);
      if (known.some(({ name }) => name === input.name)) throw nameTaken();
      const slot = lowestFreeSlot(
        known.map((view) => view.slot),
        MAX_VIEWS_PER_ACCOUNT,
      );
      if (slot === undefined) throw new ViewLimitReached();
      const now = this.clock.now();
      const view = {
        _id: new Types.ObjectId(),
        user: account.user,
        ...input,
        slot,
        createdAt: now,
        updatedAt: now,
      };
      if (await this.views.insert(view)) return view;
      // Another process took the name or the slot.
    }
  }
}

const nameTaken = () => ValidationFailed.of('name', 'is that of another view of the account');
