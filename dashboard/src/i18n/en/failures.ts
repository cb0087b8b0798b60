import reasons from '../../../../src/messages/failures/failure-reasons';
import remedies from '../../../../src/messages/failures/failure-remedies';

export default {
  ...reasons,
  remedies,
  /** After a number that is none. */
  numbers: {
    format: 'is not a phone number: 3 to 15 digits, with or without a leading +',
    decimal:
      'is a decimal number: remove the decimal places; in a spreadsheet, format the column of phone numbers as text',
    scientific:
      'is a number that a spreadsheet shortened: format the column of phone numbers as text, and enter the whole number',
    date: 'looks like a date: if it is a phone number, write it without separators',
    ipAddress: 'looks like an IP address: if it is a phone number, write it without dots',
    several: 'looks like several numbers, or one with an extension: each entry must be one phone number',
    nationalPrefix:
      'has a 0 after the country code that may not belong to the number: write it as it is dialled from abroad, such as +447700900123',
  },
};
