import { Module } from '@nestjs/common';
import { AuthModule } from './auth.module';
import { OneTimeCodesController } from './one-time-codes/http/one-time-codes.controller';
import { ProfileController } from './profile/http/profile.controller';
import { RegistrationController } from './registration/http/registration.controller';
import { SessionsController } from './sessions/http/sessions.controller';

/** Routes of accounts, sessions and mailed codes. */
@Module({
  imports: [AuthModule],
  controllers: [RegistrationController, SessionsController, OneTimeCodesController, ProfileController],
})
export class AuthHttpModule {}
