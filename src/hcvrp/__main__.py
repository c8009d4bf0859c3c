"""`python -m hcvrp`: the command line."""

from hcvrp.cli import main

if __name__ == "__main__":
    main()
