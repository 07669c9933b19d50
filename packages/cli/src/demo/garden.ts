export interface Plant {
  id: string;
  name: string;
  latin: string;
  bed: string;
  heightCm: number;
  /** 1 to 12. */
  sowMonth: number;
  pickMonth: number;
}

export interface Harvest {
  id: number;
  plant: string;
  grams: number;
  note: string | null;
  /** ISO date. */
  pickedOn: string;
}

/** What the soil sensors measure; null where the sensor is broken. */
export const beds: readonly { name: string; moisture: number | null; celsius: number | null }[] = [
  { name: 'north', moisture: 0.41, celsius: 11.5 },
  { name: 'south', moisture: 0.28, celsius: 16 },
  { name: 'herbs', moisture: 0.19, celsius: 18.5 },
  { name: 'greenhouse', moisture: null, celsius: null },
];

/** In the order of their names. */
export const plants: readonly Plant[] = (
  [
    ['basil', 'Basil', 'Ocimum basilicum', 'herbs', 45, 4, 7],
    ['broad-bean', 'Broad bean', 'Vicia faba', 'north', 120, 3, 6],
    ['chives', 'Chives', 'Allium schoenoprasum', 'herbs', 30, 3, 5],
    ['courgette', 'Courgette', 'Cucurbita pepo', 'south', 70, 5, 8],
    ['garlic', 'Garlic', 'Allium sativum', 'north', 50, 10, 7],
    ['kale', 'Kale "Black Magic"', 'Brassica oleracea', 'north', 75, 5, 11],
    ['leek', 'Leek', 'Allium porrum', 'north', 65, 3, 10],
    ['thyme', 'Lemon thyme', 'Thymus citriodorus', 'herbs', 25, 4, 6],
    ['nasturtium', 'Nasturtium', 'Tropaeolum majus', 'south', 35, 4, 7],
    ['chard', 'Rainbow chard', 'Beta vulgaris', 'north', 60, 4, 7],
    ['sunflower', 'Sunflower', 'Helianthus annuus', 'south', 220, 4, 9],
    ['tomato', 'Tomato "Salt & Pepper"', 'Solanum lycopersicum', 'greenhouse', 180, 3, 8],
  ] as const
).map(([id, name, latin, bed, heightCm, sowMonth, pickMonth]) => ({
  ...{ id, name, latin, bed, heightCm, sowMonth, pickMonth },
}));

export const firstHarvests: readonly Harvest[] = [
  { id: 1, plant: 'chives', grams: 40, note: null, pickedOn: '2026-05-09' },
  { id: 2, plant: 'broad-bean', grams: 900, note: 'first of the year', pickedOn: '2026-06-14' },
  { id: 3, plant: 'tomato', grams: 1450, note: null, pickedOn: '2026-08-02' },
  { id: 4, plant: 'courgette', grams: 2100, note: 'too many', pickedOn: '2026-08-11' },
  { id: 5, plant: 'leek', grams: 650, note: null, pickedOn: '2026-10-03' },
];
