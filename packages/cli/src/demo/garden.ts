import type { SQLOutputValue } from 'node:sqlite';
import { loadSqlite } from './load-sqlite.ts';

/** A row as SQLite gives it, ready to be sent as JSON. */
export type Row = Record<string, SQLOutputValue>;

/** The orders that a search can have, and what each means in SQL. */
const ORDERS = { name: 'name', height: 'heightCm DESC, name', sowing: 'sowMonth, name' } as const;

export type PlantOrder = keyof typeof ORDERS;

export const PLANT_ORDERS: readonly string[] = Object.keys(ORDERS);

export function isPlantOrder(text: string): text is PlantOrder {
  return Object.hasOwn(ORDERS, text);
}

/** What grows in the garden and what was picked there. Lives in memory and forgets everything when it is closed. */
export interface Garden {
  /** Plants whose name or Latin name contains `text`, at most `limit` of them, and how many there are in all. */
  searchPlants(search: { text: string; order: PlantOrder; limit: number }): { total: SQLOutputValue; plants: Row[] };
  findPlant(id: string): Row | undefined;
  findBed(name: string): Row | undefined;
  /** Newest first. */
  listHarvests(bed: string): Row[];
  addHarvest(harvest: { plant: string; grams: number; note: string | null }): Row;
  /** What is to be sown and picked in a month, 1 to 12. */
  listTasks(month: number): Row[];
  close(): void;
}

/** Plants a fresh garden: four beds, twelve plants and a few harvests. */
export function openGarden(): Garden {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(':memory:');
  database.exec(PLANTING);

  const one = (sql: string, ...values: (string | number | null)[]) => database.prepare(sql).get(...values);
  const all = (sql: string, ...values: (string | number | null)[]) => database.prepare(sql).all(...values);
  const found = 'FROM plants WHERE instr(lower(name || char(10) || latin), lower(?)) > 0';

  return {
    searchPlants: ({ text, order, limit }) => ({
      total: one(`SELECT count(*) AS total ${found}`, text)?.total ?? 0,
      plants: all(`SELECT * ${found} ORDER BY ${ORDERS[order]} LIMIT ?`, text, limit),
    }),
    findPlant: (id) => one('SELECT * FROM plants WHERE id = ?', id),
    findBed: (name) => one('SELECT * FROM beds WHERE name = ?', name),
    listHarvests: (bed) =>
      all(
        'SELECT harvests.* FROM harvests JOIN plants ON plants.id = plant WHERE bed = ? ORDER BY harvests.id DESC',
        bed,
      ),
    addHarvest: ({ plant, grams, note }) =>
      one('INSERT INTO harvests (plant, grams, note) VALUES (?, ?, ?) RETURNING *', plant, grams, note) ?? {},
    listTasks: (month) =>
      all(
        `SELECT 'sow' AS kind, id, name FROM plants WHERE sowMonth = ?
         UNION ALL SELECT 'pick', id, name FROM plants WHERE pickMonth = ?
         ORDER BY 1 DESC, 3`,
        month,
        month,
      ),
    close: () => database.close(),
  };
}

const PLANTING = `
  CREATE TABLE beds (name TEXT PRIMARY KEY, moisture REAL, celsius REAL);
  INSERT INTO beds VALUES ('north', 0.41, 11.5), ('south', 0.28, 16.0), ('herbs', 0.19, 18.5), ('greenhouse', NULL, NULL);

  CREATE TABLE plants (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, latin TEXT NOT NULL, bed TEXT NOT NULL REFERENCES beds,
    heightCm INTEGER NOT NULL, sowMonth INTEGER NOT NULL, pickMonth INTEGER NOT NULL
  );
  INSERT INTO plants VALUES
    ('basil', 'Basil', 'Ocimum basilicum', 'herbs', 45, 4, 7),
    ('broad-bean', 'Broad bean', 'Vicia faba', 'north', 120, 3, 6),
    ('chard', 'Rainbow chard', 'Beta vulgaris', 'north', 60, 4, 7),
    ('chives', 'Chives', 'Allium schoenoprasum', 'herbs', 30, 3, 5),
    ('courgette', 'Courgette', 'Cucurbita pepo', 'south', 70, 5, 8),
    ('garlic', 'Garlic', 'Allium sativum', 'north', 50, 10, 7),
    ('kale', 'Kale "Black Magic"', 'Brassica oleracea', 'north', 75, 5, 11),
    ('leek', 'Leek', 'Allium porrum', 'north', 65, 3, 10),
    ('nasturtium', 'Nasturtium', 'Tropaeolum majus', 'south', 35, 4, 7),
    ('sunflower', 'Sunflower', 'Helianthus annuus', 'south', 220, 4, 9),
    ('thyme', 'Lemon thyme', 'Thymus citriodorus', 'herbs', 25, 4, 6),
    ('tomato', 'Tomato "Salt & Pepper"', 'Solanum lycopersicum', 'greenhouse', 180, 3, 8);

  CREATE TABLE harvests (
    id INTEGER PRIMARY KEY, plant TEXT NOT NULL REFERENCES plants, grams INTEGER NOT NULL, note TEXT,
    pickedOn TEXT NOT NULL DEFAULT (date('now'))
  );
  INSERT INTO harvests (plant, grams, note, pickedOn) VALUES
    ('chives', 40, NULL, '2026-05-09'), ('broad-bean', 900, 'first of the year', '2026-06-14'),
    ('tomato', 1450, NULL, '2026-08-02'), ('courgette', 2100, 'too many', '2026-08-11'), ('leek', 650, NULL, '2026-10-03');
`;
