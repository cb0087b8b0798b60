import { appError } from '../../common/errors';

export class ContactHasUnsettledMessages extends appError(
  'invalid',
  'CONTACT_HAS_UNSETTLED_MESSAGES',
  'The contact has messages that are pending or dispatched: cancel them, wait until the phone has reported on them, or delete the contact without erase',
) {}
