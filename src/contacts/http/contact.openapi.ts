import { applyDecorators } from '@nestjs/common';
import { Types } from 'mongoose';
import { ApiError, ApiErrors } from '../../common/http/openapi-decorators';
import { ContactBusy, ContactNumberTaken } from '../store/contact.errors';

const TAKEN = new ContactNumberTaken('numbers.0.number', '+447700900123', {
  _id: new Types.ObjectId('665f1c2ab7e1d4a9c0f3e812'),
  name: 'Ana Marín',
});

/** The errors of a request that stores the numbers of a contact. */
export const ApiContactErrors = (): MethodDecorator =>
  applyDecorators(ApiError(TAKEN), ApiErrors(ContactBusy));
