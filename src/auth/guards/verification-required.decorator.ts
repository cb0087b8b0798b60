import { applyDecorators } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiErrors } from '../../common/http/openapi-decorators';
import { EmailNotVerified } from '../auth.errors';

export const IsVerificationRequired = Reflector.createDecorator<boolean | undefined>();

/** Requires an account whose e-mail address was verified at least once. */
export const VerificationRequired = (): MethodDecorator =>
  applyDecorators(IsVerificationRequired(true), ApiErrors(EmailNotVerified));
