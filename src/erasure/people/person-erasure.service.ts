import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { ConsentErasureRepository } from '../../consent/erasure/consent-erasure.repository';
import { NumberKeys } from '../../consent/numbers/number-keys.service';
import { Imports } from '../../contact-imports/imports.service';
import { ContactsService } from '../../contacts/contacts.service';
import { MessageDeletionService } from '../../messages/deletion/message-deletion.service';
import { ContactHasUnsettledMessages } from './person.errors';

/**
 * Erases a person: the contact, the messages with its numbers, what blocks and records of consent say beside their key, and the rows of
 * imported files.
 */
@Injectable()
export class PersonErasure {
  constructor(
    private readonly contacts: ContactsService,
    private readonly messages: MessageDeletionService,
    private readonly consent: ConsentErasureRepository,
    private readonly keys: NumberKeys,
    private readonly imports: Imports,
  ) {}

  /** If it is interrupted, repeat it: the contact, which has the numbers, is removed last. @throws ContactNotFound, ContactHasUnsettledMessages */
  async erase(account: AccountScope, id: Types.ObjectId): Promise<void> {
    const { numbers, absorbed = [] } = await this.contacts.get(account, id);
    for (const { peerNumber } of numbers)
      if (await this.messages.hasUnsettledWith(account, peerNumber)) throw new ContactHasUnsettledMessages();
    for (const { peerNumber } of numbers) {
      await this.consent.erase(account, await this.keys.keyOf(account, peerNumber));
      await this.messages.deleteWith(account, peerNumber);
    }
    await this.imports.erase(
      account,
      [id, ...absorbed],
      numbers.map(({ peerNumber }) => peerNumber),
    );
    await this.contacts.remove(account, id);
  }
}
