import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { readings } from '../../common/peer-number';
import { ValidationFailed } from '../../common/errors';
import { DeviceNotFound } from '../../devices/store/devices.errors';
import { DevicesRepository } from '../../devices/store/devices.repository';
import type { ContactInput } from '../../contacts/store/contact-input';
import type { Contact } from '../../contacts/store/contact.schema';
import { AccountCountries } from '../../devices/account-countries.service';
import { encodeCursor, type Position } from '../lists/message-cursor';
import type { Conversation } from './conversation.schema';
import { ConversationContacts } from './conversation-contacts.service';
import { isAfter } from './conversation-update';
import { ConversationNotFound } from './conversation.errors';
import { ConversationProjector, positionOf } from './conversation-projector.service';
import { type ConversationFilter, ConversationsRepository } from './conversations.repository';
import { type LastMessage, ConversationMessagesRepository } from './conversation-messages.repository';
import { byId } from '../../common/documents';
import { showsMessages } from '../shown-devices';

/** Reads per page at most: further reads replace listed conversations that no longer belong on the page. */
const MAX_READS = 5;

export interface ConversationView {
  readonly number: string;
  readonly note: string | undefined;
  /** Whose number it is. */
  readonly contact: Pick<Contact, '_id' | 'name'> | undefined;
  readonly lastMessage: LastMessage;
  /** Up to `MAX_UNREAD_COUNT`. */
  readonly unreadCount: number;
}

export interface ConversationListMeta {
  readonly limit: number;
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

export interface ConversationQuery {
  readonly filter: ConversationFilter;
  readonly limit: number;
  readonly after: Position | undefined;
}

type Devices = readonly Types.ObjectId[] | undefined;

/** The conversations of an account, for their owner. */
@Injectable()
export class ConversationsService {
  constructor(
    private readonly conversations: ConversationsRepository,
    private readonly messages: ConversationMessagesRepository,
    private readonly projector: ConversationProjector,
    private readonly devices: DevicesRepository,
    private readonly countries: AccountCountries,
    private readonly contacts: ConversationContacts,
    private readonly clock: Clock,
  ) {}

  /** Lists conversations, that with the newest message first. @throws DeviceNotFound, SearchTooSlow */
  async list(
    account: AccountScope,
    { filter, limit, after }: ConversationQuery,
  ): Promise<{ views: ConversationView[]; meta: ConversationListMeta }> {
    await this.requireDevices(account, filter.devices);
    const devices = await this.projector.shownDevices(account);
    const search = await this.searchOf(account, filter);
    const views: ConversationView[] = [];
    let position = after;
    let hasMore = true;
    for (let reads = 0; reads < MAX_READS && hasMore && views.length < limit; reads++) {
      const count = limit - views.length;
      const found = await this.conversations.list(account, { ...filter, ...search }, position, count + 1);
      const listed = found.slice(0, count);
      const last = listed.at(-1);
      if (!last) return { views, meta: { limit, nextCursor: null, hasMore: false } };
      position = positionOf(last);
      const read = await this.readListed(account, filter, listed, devices);
      views.push(...read);
      // Those that are missing may come later now.
      hasMore = found.length > count || read.length < listed.length;
    }
    const nextCursor = hasMore && position ? encodeCursor({ ...position, order: 'desc' }) : null;
    return { views, meta: { limit, nextCursor, hasMore } };
  }

  /** @param text its number in any spelling. @throws ConversationNotFound */
  async get(account: AccountScope, text: string): Promise<ConversationView> {
    return this.view(account, await this.find(account, text));
  }

  /**
   * Marks a conversation as read.
   * @param text its number in any spelling.
   * @param through the received message up to which it was read; undefined for all that are stored.
   * @throws ConversationNotFound, ValidationFailed if `through` is not a message received from the number.
   */
  async markRead(
    account: AccountScope,
    text: string,
    through: Types.ObjectId | undefined,
  ): Promise<ConversationView> {
    const conversation = await this.find(account, text);
    const { number } = conversation;
    const message = through
      ? await this.messages.findReceived(account, number, through)
      : await this.messages.findReceivedLast(account, number);
    if (through && !message)
      throw ValidationFailed.of('through', 'is not a message received in this conversation');
    // Messages of early versions have no time of storing; they count as read.
    if (!message?.countedAt) return this.view(account, conversation);
    const place = { id: message._id, storedAt: message.countedAt };
    return this.view(account, await this.conversations.markRead(account, number, place, this.clock.now()));
  }

  /** @param text its number in any spelling. @param note empty to remove it. @throws ConversationNotFound */
  async setNote(account: AccountScope, text: string, note: string): Promise<ConversationView> {
    const { number } = await this.find(account, text);
    return this.view(account, await this.conversations.setNote(account, number, note, this.clock.now()));
  }

  /**
   * Creates a contact with the number of a conversation, whose note becomes one of the contact.
   * @param text its number in any spelling.
   * @throws ConversationNotFound, ValidationFailed, ContactNumberTaken, ContactBusy
   */
  async createContact(
    account: AccountScope,
    text: string,
    input: Omit<ContactInput, 'numbers'>,
  ): Promise<Contact> {
    return this.contacts.create(account, await this.find(account, text), input);
  }

  private async searchOf(
    account: AccountScope,
    { search }: ConversationFilter,
  ): Promise<Pick<ConversationFilter, 'countries' | 'numbers'>> {
    if (search === undefined) return {};
    const [countries, numbers] = await Promise.all([
      this.countries.listFor(account, [search]),
      this.contacts.numbersMatching(account, search),
    ]);
    return { countries, numbers };
  }

  /** Finds a conversation, or makes it if its messages are not added yet. */
  private async find(account: AccountScope, text: string): Promise<Conversation> {
    if (text === '') throw new ConversationNotFound();
    const numbers = readings(text, await this.countries.listFor(account, [text]));
    for (const number of numbers) {
      const found = await this.conversations.find(account, number);
      if (found) return found;
    }
    for (const number of numbers) {
      const made = await this.projector.refresh(account, number);
      if (made) return made;
    }
    throw new ConversationNotFound();
  }

  private async view(account: AccountScope, conversation: Conversation | null): Promise<ConversationView> {
    if (!conversation) throw new ConversationNotFound();
    const devices = await this.projector.shownDevices(account);
    const [view] = await this.readViews(account, [conversation], devices);
    if (view) return view;
    const refreshed = await this.projector.refresh(account, conversation.number);
    const [after] = refreshed ? await this.readViews(account, [refreshed], devices) : [];
    if (!after) throw new ConversationNotFound();
    return after;
  }

  /** Refreshes listed conversations that no longer match their messages; leaves out those that now come after the page. */
  private async readListed(
    account: AccountScope,
    { unread, unanswered, devices: chosen }: ConversationFilter,
    listed: readonly Conversation[],
    devices: Devices,
  ): Promise<ConversationView[]> {
    const read = await this.readViews(account, listed, devices);
    const stale = listed.filter((_, index) => !read[index]);
    if (stale.length === 0) return read.filter((view) => view !== undefined);
    await this.projector.refreshAll(stale);
    const last = listed.at(-1);
    const refreshed = (await this.conversations.findMany(account, stale)).filter(
      (each) =>
        !(last && isAfter(placeOf(last), placeOf(each))) &&
        (!unread || each.unread) &&
        (!unanswered || each.unanswered) &&
        (!chosen || chosen.some((id) => id.equals(each.device))),
    );
    const reread = await this.readViews(account, refreshed, devices);
    return [...listed, ...refreshed]
      .map((conversation, index) => ({ conversation, view: [...read, ...reread][index] }))
      .toSorted((one, other) => (isAfter(placeOf(one.conversation), placeOf(other.conversation)) ? -1 : 1))
      .flatMap(({ view }) => view ?? []);
  }

  /** @returns undefined for those that do not match their messages. */
  private async readViews(
    account: AccountScope,
    listed: readonly Conversation[],
    devices: Devices,
  ): Promise<(ConversationView | undefined)[]> {
    const ids = listed.map(({ lastMessage }) => lastMessage);
    const [messages, counts, contacts] = await Promise.all([
      ids.length > 0 ? this.messages.readLast(account, ids, devices) : [],
      Promise.all(
        listed.map((each) => (each.unread ? this.messages.countUnread(each, devices) : Promise.resolve(0))),
      ),
      this.contacts.byNumber(account, listed),
    ]);
    const messagesById = byId(messages);
    return listed.map(({ number, note, lastMessage: id, device, unread }, index) => {
      const lastMessage = messagesById.get(id.toHexString());
      const unreadCount = counts[index] ?? 0;
      // A pool may have moved the message to another device.
      if (!lastMessage?.device.equals(device) || (unread && unreadCount === 0)) return undefined;
      return { number, note, contact: contacts.get(number), lastMessage, unreadCount };
    });
  }

  private async requireDevices(account: AccountScope, ids: Devices): Promise<void> {
    if (!ids) return;
    const known = await this.devices.findForMessages(account, ids);
    const shown = known.filter((device) => showsMessages(device, { includesDeletedDevices: true }));
    if (shown.length < ids.length) throw new DeviceNotFound();
  }
}

const placeOf = ({ lastMessageAt: at, _id: id }: Conversation) => ({ at, id });
