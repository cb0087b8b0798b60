import { Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { AccountAdministrationService } from '../../auth/accounts/account-administration.service';
import { PasswordConfirmation } from '../../auth/passwords/password-confirmation.service';
import { PlanSubscriptionService } from '../../billing/plan-subscription.service';
import { Clock } from '../../common/clock';
import { ValidationFailed } from '../../common/errors';
import { logIds, withLogIds } from '../../infrastructure/logging/log-ids';
import { AccountDirectory, type OperatedAccount } from './account-directory.service';
import { OwnAccount } from './operations.errors';
import type { OperatorAction, OperatorActionName } from './operator-action.schema';
import { OperatorActionsRepository } from './operator-actions.repository';

const MAX_LISTED_ACTIONS = 100;

/** An operator who acts, and the password that they are asked for each time. */
export interface ActingOperator {
  readonly operator: AccountScope;
  readonly password: string;
  /** The client address. */
  readonly address: string;
}

/** An action of an operator on an account. */
export type AccountAction =
  | { readonly action: Exclude<OperatorActionName, 'plan'> }
  | { readonly action: 'plan'; readonly plan: string };

@Injectable()
export class AccountOperations {
  private readonly logger = new Logger('Operations');

  constructor(
    private readonly directory: AccountDirectory,
    private readonly administration: AccountAdministrationService,
    private readonly subscriptions: PlanSubscriptionService,
    private readonly passwords: PasswordConfirmation,
    private readonly actions: OperatorActionsRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks the password, records and logs the action, then carries it out: none is missing in the record, which may have one that failed.
   * @throws AccountNotFound, ValidationFailed, OwnAccount, WrongPassword, TooManyAttempts; then nothing is changed.
   */
  async act(by: ActingOperator, account: AccountScope, action: AccountAction): Promise<OperatedAccount> {
    const { operator, password, address } = by;
    await this.directory.get(account);
    if (action.action === 'plan') await this.assertPlan(action.plan);
    if (action.action === 'disable' && account.user.equals(operator.user)) throw new OwnAccount();
    await this.passwords.confirm(operator, password, address, 'password');
    await this.record(operator, account, action);
    await this.carryOut(account, action);
    return this.directory.get(account);
  }

  /** The last 100 actions, the newest first. */
  list(): Promise<OperatorAction[]> {
    return this.actions.list(MAX_LISTED_ACTIONS);
  }

  private async assertPlan(plan: string): Promise<void> {
    const names = (await this.subscriptions.listPlans()).map(({ _id }) => _id);
    if (names.includes(plan)) return;
    throw ValidationFailed.of('plan', `must be one of ${names.join(', ')}`);
  }

  private async record(operator: AccountScope, { user }: AccountScope, action: AccountAction): Promise<void> {
    const _id = new Types.ObjectId();
    const at = this.clock.now();
    await this.actions.record({ _id, at, operator: operator.user, account: user, ...action });
    const ids = { operatorId: operator.user.toHexString(), accountId: user.toHexString() };
    withLogIds({ ...logIds(), ...ids }, () => {
      const what = action.action === 'plan' ? `plan ${action.plan}` : action.action;
      this.logger.log(`Operator action on an account: ${what}`);
    });
  }

  private carryOut(account: AccountScope, action: AccountAction): Promise<void> {
    switch (action.action) {
      case 'plan':
        return this.administration.setPlan(account, action.plan);
      case 'disable':
        return this.administration.disable(account);
      case 'enable':
        return this.administration.enable(account);
    }
  }
}
