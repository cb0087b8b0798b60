import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  PlanNameResponse,
  toSubscriptionResponse,
  UsageResponse,
} from '../../../billing/http/billing.response';
import { Id, OptionalTime, Time } from '../../../common/http/responses/fields';
import type { OperatedAccount } from '../account-directory.service';
import {
  OPERATOR_ACTION_NAMES,
  type OperatorAction,
  type OperatorActionName,
} from '../operator-action.schema';

export class OperatedAccountResponse {
  @Id('Account id')
  _id!: string;

  @ApiProperty({ description: 'Name of the owner', example: 'Ada' })
  name!: string;

  @ApiProperty({ format: 'email', description: 'E-mail address', example: 'ada@example.com' })
  email!: string;

  @OptionalTime('When the e-mail address was verified; absent until then')
  emailVerifiedAt?: Date;

  @OptionalTime('When it was disabled; absent unless it is')
  disabledAt?: Date;

  @ApiPropertyOptional({ description: 'True for an operator; absent for everyone else', example: true })
  operator?: boolean;

  @ApiProperty({ type: 'integer', description: 'Paired phones', example: 3 })
  devices!: number;

  @ApiProperty({ description: 'The plan' })
  plan!: PlanNameResponse;

  @ApiProperty({ description: 'Usage of the plan' })
  usage!: UsageResponse;

  @Time('When it was created')
  createdAt!: Date;
}

export class AccountListMetaResponse {
  @ApiProperty({ type: 'integer', description: 'Accounts per page', example: 50 })
  limit!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Cursor of the next page; null on the last page',
    example: 'YWRhQGV4YW1wbGUuY29t',
  })
  nextCursor!: string | null;

  @ApiProperty({ description: 'Whether there are more accounts' })
  hasMore!: boolean;
}

export class OperatorActionResponse {
  @Id('Id of the action')
  _id!: string;

  @Time('When')
  at!: Date;

  @Id('Account id of the operator')
  operator!: string;

  @ApiProperty({ enum: OPERATOR_ACTION_NAMES, description: 'What the operator did', example: 'disable' })
  action!: OperatorActionName;

  @Id('Id of the account it was done to')
  account!: string;

  @ApiPropertyOptional({ description: 'The new plan', example: 'pro' })
  plan?: string;
}

export function toOperatedAccountResponse(operated: OperatedAccount): OperatedAccountResponse {
  const { account, devices, subscription } = operated;
  const { plan, usage } = toSubscriptionResponse(subscription);
  return {
    _id: account._id.toHexString(),
    name: account.name,
    email: account.email,
    emailVerifiedAt: account.emailVerifiedAt,
    disabledAt: account.disabledAt,
    operator: account.operator,
    devices,
    plan: { name: plan.name, displayName: plan.displayName },
    usage,
    createdAt: account.createdAt,
  };
}

export function toOperatorActionResponse(action: OperatorAction): OperatorActionResponse {
  return {
    _id: action._id.toHexString(),
    at: action.at,
    operator: action.operator.toHexString(),
    action: action.action,
    account: action.account.toHexString(),
    plan: action.plan,
  };
}
