import { AppError, appError, type FieldError } from '../../common/errors';
import { MAX_LISTS_PER_ACCOUNT } from './contact-limits';

export class ContactNotFound extends appError(
  'not_found',
  'CONTACT_NOT_FOUND',
  'The account has no contact with this id',
) {}

/** A number belongs to one contact. */
export class ContactNumberTaken extends AppError {
  readonly kind = 'invalid';
  readonly code = 'CONTACT_NUMBER_TAKEN';

  /** @param field of the number in the request. @param contact who has it. */
  constructor(
    private readonly field: string,
    number: string,
    private readonly contact: { readonly _id: { toHexString(): string }; readonly name: string },
  ) {
    const whose = contact.name === '' ? '' : ` ${JSON.stringify(contact.name)}`;
    super(
      `${field} ${JSON.stringify(number)} belongs to the contact${whose} (${contact._id.toHexString()}): change or merge that one, or leave the number out`,
    );
  }

  override extras(): Record<string, unknown> {
    const details: FieldError[] = [{ field: this.field, message: this.message }];
    return { details, contact: { _id: this.contact._id.toHexString(), name: this.contact.name } };
  }
}

export class ContactBusy extends appError(
  'unavailable',
  'CONTACT_BUSY',
  'The contact is being changed by other requests; repeat the request',
) {}

export class ListNotFound extends appError(
  'not_found',
  'LIST_NOT_FOUND',
  'The account has no list of contacts with this id',
) {}

export class ListLimitReached extends appError(
  'invalid',
  'LIST_LIMIT_REACHED',
  `The account already has ${MAX_LISTS_PER_ACCOUNT} lists of contacts, which is the maximum; delete one first`,
) {}

export class ListIsSegment extends appError(
  'invalid',
  'LIST_IS_SEGMENT',
  'The list is a segment: its members are the contacts that meet its condition; change their tags or fields, or the condition',
) {}
