import type { Types } from 'mongoose';

/** Items of many accounts by a key, grouped by account: to find or count those of one account takes no longer with more accounts. */
export class AccountGroups<Item> {
  private readonly groups = new Map<string, Map<string, Item>>();

  set(user: Types.ObjectId, key: string, item: Item): void {
    const id = user.toHexString();
    const group = this.groups.get(id) ?? new Map<string, Item>();
    this.groups.set(id, group.set(key, item));
  }

  delete(user: Types.ObjectId, key: string): void {
    const id = user.toHexString();
    const group = this.groups.get(id);
    if (group?.delete(key) && group.size === 0) this.groups.delete(id);
  }

  /** @param user the id of the account in hexadecimal. */
  list(user: string): Item[] {
    return [...(this.groups.get(user)?.values() ?? [])];
  }

  /** Counts the items of an account, except the one with this key. */
  countOthers(user: Types.ObjectId, key: string): number {
    const group = this.groups.get(user.toHexString());
    return group ? group.size - (group.has(key) ? 1 : 0) : 0;
  }
}
