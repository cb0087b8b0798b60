/** Messages of deleted phones are shown, unless they were deleted with the phone. By default the API leaves them out. */
export const WITH_DELETED_DEVICES = { includeDeletedDevices: 'true' } as const;
