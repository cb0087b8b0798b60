import { ActionIcon, Menu } from '@mantine/core';
import {
  IconArrowsRightLeft,
  IconDotsVertical,
  IconMessageDown,
  IconPencil,
  IconPlayerPlay,
  IconPower,
  IconReplace,
  IconSend,
  IconStar,
  IconTransferOut,
  IconTrash,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getQueueOptions } from '../../../../generated/@tanstack/react-query.gen';
import { countMessages, type Device, phoneName, queueOf } from '../../../components/phones/phone';
import { DeletePhoneModal } from './DeletePhoneModal';
import { DisablePhoneModal } from './DisablePhoneModal';
import { IncomingMessageModal } from './IncomingMessageModal';
import { MoveWaitingModal } from './MoveWaitingModal';
import { RenamePhoneModal } from './RenamePhoneModal';
import { ReplacePhoneModal } from './ReplacePhoneModal';
import { TestMessageModal } from './TestMessageModal';
import { usePhoneChanges } from './use-phone-changes';

type Dialog = 'rename' | 'test' | 'receive' | 'move' | 'disable' | 'replace' | 'remove';

/** Everything that can be done with a phone. */
export function PhoneActions({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<Dialog>();
  const changes = usePhoneChanges(device);
  const queue = useQuery(getQueueOptions()).data?.data;
  const waiting = countMessages(queueOf(device._id, queue));
  const close = () => setOpen(undefined);
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('phones.actions', { name: phoneName(device) })}
          >
            <IconDotsVertical size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconSend size={16} />} onClick={() => setOpen('test')}>
            {t('phones.test.action')}
          </Menu.Item>
          {device.isVirtual && (
            <Menu.Item leftSection={<IconMessageDown size={16} />} onClick={() => setOpen('receive')}>
              {t('phones.receive.action')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setOpen('rename')}>
            {t('phones.rename.action')}
          </Menu.Item>
          {!device.isDefault && (
            <Menu.Item leftSection={<IconStar size={16} />} onClick={() => void changes.setDefault()}>
              {t('phones.setDefault')}
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item leftSection={<IconArrowsRightLeft size={16} />} onClick={() => setOpen('move')}>
            {t('phones.move.action')}
          </Menu.Item>
          {device.drainingSince ? (
            <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={() => void changes.endDrain()}>
              {t('phones.drain.end')}
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<IconTransferOut size={16} />} onClick={() => void changes.drain()}>
              {t('phones.drain.action')}
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconPower size={16} />}
            onClick={() =>
              device.enabled && waiting > 0 ? setOpen('disable') : void changes.setEnabled(!device.enabled)
            }
          >
            {device.enabled ? t('phones.disable') : t('phones.enable')}
          </Menu.Item>
          <Menu.Item leftSection={<IconReplace size={16} />} onClick={() => setOpen('replace')}>
            {t('phones.replace.action')}
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => setOpen('remove')}>
            {t('phones.remove.action')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {open === 'rename' && <RenamePhoneModal device={device} onClose={close} />}
      {open === 'test' && <TestMessageModal device={device} onClose={close} />}
      {open === 'receive' && <IncomingMessageModal device={device} onClose={close} />}
      {open === 'move' && <MoveWaitingModal device={device} onClose={close} />}
      {open === 'disable' && (
        <DisablePhoneModal
          name={phoneName(device)}
          waiting={waiting}
          onMove={() => setOpen('move')}
          onDisable={() => {
            close();
            void changes.setEnabled(false);
          }}
          onClose={close}
        />
      )}
      {open === 'replace' && <ReplacePhoneModal device={device} onClose={close} />}
      {open === 'remove' && <DeletePhoneModal device={device} onClose={close} />}
    </>
  );
}
