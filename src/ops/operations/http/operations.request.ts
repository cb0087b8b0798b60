import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { Password } from '../../../auth/accounts/http/account-fields';
import { normalizeEmail } from '../../../auth/accounts/normalize-email';
import { ValidationFailed } from '../../../common/errors';
import { OptionalText } from '../../../common/http/requests/fields';
import {
  OptionalChoice,
  OptionalInteger,
  OptionalParameter,
} from '../../../common/http/requests/query-fields';
import type { AccountQuery } from '../account-directory.service';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;
const MAX_PLAN_LENGTH = 100;

const STATES = ['true', 'false'] as const;

export class AccountListRequest {
  @OptionalParameter('nextCursor of the previous page', 'YWRhQGV4YW1wbGUuY29t')
  cursor?: string;

  @OptionalInteger('Accounts per page', 1, MAX_LIMIT, DEFAULT_LIMIT)
  limit?: number;

  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? normalizeEmail(value) : value))
  @OptionalText('Only accounts whose e-mail address begins with this', 'ada@', 254)
  email?: string;

  @OptionalText('Only accounts on this plan', 'free', MAX_PLAN_LENGTH)
  plan?: string;

  @OptionalChoice('Only disabled accounts, or only others', STATES)
  disabled?: (typeof STATES)[number];

  /** @throws ValidationFailed */
  read(): AccountQuery {
    const { email, plan, disabled, cursor = '', limit = DEFAULT_LIMIT } = this;
    return {
      filter: {
        ...(email !== undefined && { emailPrefix: email }),
        ...(plan !== undefined && { plan }),
        ...(disabled !== undefined && { isDisabled: disabled === 'true' }),
      },
      limit,
      after: decodeCursor(cursor),
    };
  }
}

export const encodeCursor = (email: string): string => Buffer.from(email).toString('base64url');

/** @throws ValidationFailed */
function decodeCursor(cursor: string): string {
  const email = Buffer.from(cursor, 'base64url').toString();
  if (encodeCursor(email) === cursor) return email;
  throw ValidationFailed.of('cursor', 'is not a nextCursor of this list; begin again without one');
}

export class OperationRequest {
  @Password('The password of the operator, asked for again', { example: 'correct horse battery staple' })
  password!: string;
}

export class PlanChangeRequest extends OperationRequest {
  @ApiProperty({ description: 'Name of the plan', example: 'pro', maxLength: MAX_PLAN_LENGTH })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_PLAN_LENGTH)
  plan!: string;
}
