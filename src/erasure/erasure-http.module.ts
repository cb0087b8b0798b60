import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { ErasureModule } from './erasure.module';
import { ErasureController } from './http/erasure.controller';

/** The route that removes an account. */
@Module({
  imports: [AuthModule, ErasureModule],
  controllers: [ErasureController],
})
export class ErasureHttpModule {}
