import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { OperationsModule } from './operations.module';
import { OperationsController } from './http/operations.controller';

/** Routes of operators. */
@Module({
  imports: [AuthModule, OperationsModule],
  controllers: [OperationsController],
})
export class OperationsHttpModule {}
