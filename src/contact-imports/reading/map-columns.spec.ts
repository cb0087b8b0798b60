import { targetText } from './column-target';
import { mapColumns } from './map-columns';

const targetsOf = (header: string, second?: string) =>
  mapColumns(header.split(','), second?.split(','), {}).columns.map(({ target }) => targetText(target));

describe('the columns of a file', () => {
  it.each([
    ['Name,Phone,Tags,Notes,Language', ['name', 'number', 'tags', 'notes', 'language']],
    ['Name,Vorname,Handy-Nr.,Straße', ['lastName', 'firstName', 'number', 'field:Straße']],
    ['Nombre,Apellidos,Teléfono móvil,Categorías', ['firstName', 'lastName', 'number', 'tags']],
    ['Prénom,NOM,Téléphone portable,Remarques', ['firstName', 'lastName', 'number', 'notes']],
    ['Nome completo,Telemóvel,Observações,Idioma', ['name', 'number', 'notes', 'language']],
    // Google Contacts.
    [
      'First Name,Middle Name,Last Name,Labels,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value',
      [
        'firstName',
        'middleName',
        'lastName',
        'tags',
        'field:E-mail 1 - Value',
        'label',
        'number',
        'label',
        'number',
      ],
    ],
    // Outlook.
    [
      'First Name,Last Name,Company,Home Phone,Mobile Phone,Categories',
      ['firstName', 'lastName', 'field:Company', 'number:Home Phone', 'number:Mobile Phone', 'tags'],
    ],
    ['name,number label,number,number 2,field:Phone', ['name', 'label', 'number', 'number', 'field:Phone']],
  ])('are known by their names: %s', (header, targets) => {
    expect(targetsOf(header)).toEqual(targets);
  });

  it('are known by what is in them: the first number of an unknown header, and files without one', () => {
    expect(targetsOf('Wer,Wie', 'Ana,+447700900123')).toEqual(['field:Wer', 'number']);
    expect(targetsOf('Ana,York,+447700900123')).toEqual(['name', 'ignore', 'number']);
  });

  it('are told if none has numbers, or there are too many', () => {
    expect(() => targetsOf('Name,Town', 'Ana,York')).toThrow('they are Name, Town');
    expect(() => targetsOf(','.repeat(200))).toThrow('has 201 columns');
  });
});
