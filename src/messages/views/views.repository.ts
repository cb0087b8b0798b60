import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { ifDuplicate, insertUnlessDuplicate } from '../../infrastructure/mongo/duplicate-key';
import { View } from './view.schema';

export type ViewPatch = Partial<Pick<View, 'name' | 'query'>>;

@Injectable()
export class ViewsRepository {
  constructor(@InjectModel(View.name) private readonly views: Model<View>) {}

  /** The views of the account by name. */
  list({ user }: AccountScope): Promise<View[]> {
    return this.views.find({ user }).sort({ name: 1 }).lean<View[]>();
  }

  /** @returns false if the account has a view with this name or slot. */
  insert(view: View): Promise<boolean> {
    return insertUnlessDuplicate(this.views, view);
  }

  /** @returns the view, null if there is none, `taken` if another one of the account has the name. */
  update(
    { user }: AccountScope,
    id: Types.ObjectId,
    patch: ViewPatch,
    now: Date,
  ): Promise<View | null | 'taken'> {
    return ifDuplicate('taken', () =>
      this.views
        .findOneAndUpdate(
          { _id: id, user },
          { $set: { ...patch, updatedAt: now } },
          { returnDocument: 'after' },
        )
        .lean<View>(),
    );
  }

  /** @returns false if there is no such view. */
  async remove({ user }: AccountScope, id: Types.ObjectId): Promise<boolean> {
    return (await this.views.deleteOne({ _id: id, user })).deletedCount === 1;
  }
}
