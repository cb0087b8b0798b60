import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiErrors } from '../../common/http/openapi-decorators';
import { KeyBound } from '../api-keys/phone-key';

/**
 * What a phone key may do on a route: `device`, only for its own device, whose id is in the path; `pairing`, bind itself
 * to a device; `account`, call it from any phone of the account.
 */
export type PhoneKeyAccess = 'device' | 'pairing' | 'account';

export const PHONE_KEY_ACCESS = 'phone-key-access';

/** Allows phone keys on a route. Routes without it refuse them with 401. */
export const PhoneKeyAllowed = (access: PhoneKeyAccess = 'device'): MethodDecorator =>
  access === 'account'
    ? SetMetadata(PHONE_KEY_ACCESS, access)
    : applyDecorators(SetMetadata(PHONE_KEY_ACCESS, access), ApiErrors(KeyBound));
