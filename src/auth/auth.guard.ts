import { ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { Unauthorized } from '../common/errors';
import { IS_PUBLIC } from './account-scope';

/** Guards every route that is not marked public. */
@Injectable()
export class AccountGuard extends AuthGuard('api-key') {
  constructor(private readonly reflector: Reflector) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const isPublic = this.reflector.getAllAndOverride<boolean | undefined>(IS_PUBLIC, [
      context.getHandler(),
      context.getClass(),
    ]);
    return isPublic ?? (await super.canActivate(context)) === true;
  }

  override handleRequest<Account>(failure: Error | null, account: Account | false): Account {
    // A database that cannot be asked is not the same as a wrong key.
    if (failure) throw failure;
    if (!account) throw new Unauthorized();
    return account;
  }
}
