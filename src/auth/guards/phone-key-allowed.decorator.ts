import { applyDecorators } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiErrors } from '../../common/http/openapi-decorators';
import { KeyBound } from '../api-keys/api-key.errors';

/**
 * What a phone key may do on a route: `device`, only for its own device, whose id is in the path; `pairing`, bind itself
 * to a device; `account`, call it from any phone of the account.
 */
export type PhoneKeyAccess = 'device' | 'pairing' | 'account';

export const PhoneKeyAccessOf = Reflector.createDecorator<PhoneKeyAccess | undefined>();

/** Allows phone keys on a route. Routes without it refuse them with 401. */
export const PhoneKeyAllowed = (access: PhoneKeyAccess = 'device'): MethodDecorator =>
  access === 'account'
    ? PhoneKeyAccessOf(access)
    : applyDecorators(PhoneKeyAccessOf(access), ApiErrors(KeyBound));
