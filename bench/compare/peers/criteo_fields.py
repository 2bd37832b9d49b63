"""The fields of Criteo-shaped text, for the peers that need them declared."""

CATEGORIES = [f"c{i}" for i in range(1, 27)]
FIELDS = ["label", *(f"i{i}" for i in range(1, 14)), *CATEGORIES]
FIRST_CATEGORY = FIELDS.index("c1")
